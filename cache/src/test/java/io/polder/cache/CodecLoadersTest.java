package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentMap;

/** Values whose classes are of another loader than this module, as in a container. */
class CodecLoadersTest extends CacheFixture {
    record Box(Serializable content) implements Serializable {}

    record Inner(int number) {}

    record Outer(String name, Inner inner) {}

    /** An interface, for a proxy. */
    interface Named {
        String name();
    }

    record Namer(String name) implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return name;
        }
    }

    /** Has classes of its own in place of those of this test. */
    private static final class Apart extends ClassLoader {
        Apart() {
            super(CodecLoadersTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            if (known != null || !name.startsWith(CodecLoadersTest.class.getName() + "$")) {
                return known != null ? known : super.loadClass(name, resolve);
            }
            String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
            try (InputStream in = CodecLoadersTest.class.getResourceAsStream(file)) {
                byte[] bytes = Objects.requireNonNull(in).readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private final Apart apart = new Apart();

    private Class<?> apart(Class<?> type) throws ClassNotFoundException {
        return apart.loadClass(type.getName());
    }

    private Object make(Class<?> type, Object... arguments) throws Exception {
        Constructor<?> constructor = apart(type).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    private OffHeapCache<Long, Serializable> boxes(ObjectInputFilter filter) throws Exception {
        return OffHeapCache.<Long, Serializable>builder()
                .keyCodec(Codec.longs())
                .valueCodec(codec(apart(Box.class), filter))
                .pool(pool)
                .build();
    }

    @SuppressWarnings("unchecked") // each value is a box
    private static Codec<Serializable> codec(Class<?> type, ObjectInputFilter filter) {
        return (Codec<Serializable>)
                (Codec<?>) Codec.javaSerialization(type.asSubclass(Serializable.class), filter);
    }

    private Serializable box(Object content) throws Exception {
        return (Serializable) make(Box.class, content);
    }

    @Test
    void javaSerialization_ofTypesOfAnotherLoader_readsWhatItWrote() throws Exception {
        Object proxy =
                Proxy.newProxyInstance(
                        apart, new Class<?>[] {apart(Named.class)}, namer("proxy's"));
        try (OffHeapCache<Long, Serializable> cache =
                boxes(_ -> ObjectInputFilter.Status.UNDECIDED)) {
            ConcurrentMap<Long, Serializable> map = cache.asMap();
            for (Object content : List.of("text", 7, new int[] {1}, make(Box.class, "inner"))) {
                cache.put(1L, box(content));
                assertThat(cache.getIfPresent(1L)).isInstanceOf(apart(Box.class));
            }
            assertThat(map.put(1L, box("other"))).isEqualTo(box(box("inner")));
            assertThat(map.compute(1L, (_, known) -> known)).isEqualTo(box("other"));
            assertThat(map.containsValue(box("other"))).isTrue();
            assertThat(map.remove(1L)).isEqualTo(box("other"));
            cache.put(2L, box(proxy));
            Object read = content(cache.getIfPresent(2L));
            assertThat(read).isInstanceOf(apart(Named.class));
            assertThat(Proxy.getInvocationHandler(read)).isEqualTo(namer("proxy's"));
        }
    }

    private Object content(@Nullable Object box) throws Exception {
        Method content = apart(Box.class).getDeclaredMethod("content");
        content.setAccessible(true);
        return content.invoke(box);
    }

    private InvocationHandler namer(String name) throws Exception {
        return (InvocationHandler) make(Namer.class, name);
    }

    @Test
    void javaSerialization_ofATypeOfTheJdk_findsClassesOfThisLoader() {
        Codec<Serializable> codec = codec(ArrayList.class, _ -> ObjectInputFilter.Status.UNDECIDED);
        Object proxy =
                Proxy.newProxyInstance(
                        Named.class.getClassLoader(),
                        new Class<?>[] {Named.class},
                        new Namer("proxy's"));
        ArrayList<Object> list = new ArrayList<>(List.of(new Box("text"), proxy));
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) codec.size(list)]);
        codec.write(list, bytes);
        List<?> read = (List<?>) codec.read(bytes);
        assertThat(read.getFirst()).isEqualTo(new Box("text"));
        assertThat(((Named) read.getLast()).name()).isEqualTo("proxy's");
    }

    @Test
    void javaSerialization_ofTypesOfAnotherLoader_isFiltered() throws Exception {
        for (Class<?> refused : List.of(Inner.class, Named.class, Namer.class, Integer.class)) {
            ObjectInputFilter filter =
                    ObjectInputFilter.Config.createFilter("!" + refused.getName());
            try (OffHeapCache<Long, Serializable> cache = boxes(filter)) {
                Object named =
                        Proxy.newProxyInstance(
                                apart, new Class<?>[] {apart(Named.class)}, namer("proxy's"));
                Serializable box = box(refused == Integer.class ? 7 : named);
                if (refused == Inner.class) {
                    cache.put(1L, box);
                    assertThat(cache.getIfPresent(1L)).isNotNull();
                } else {
                    assertThatThrownBy(() -> cache.put(1L, box))
                            .as(refused.getName())
                            .hasMessageContaining(refused.getName())
                            .hasRootCauseInstanceOf(InvalidClassException.class);
                    assertThat(cache.size()).isZero();
                }
            }
        }
    }

    /** Whether somebody has initialised {@link SideEffect}. */
    private static boolean isInitialised;

    /** An interface whose name is as long as that of {@link SideEffect}. */
    interface NoneAtAll0 {
        String name();
    }

    /** One that does something when it is initialised, as one with a default method is. */
    interface SideEffect {
        boolean DONE = initialise();

        private static boolean initialise() {
            isInitialised = true;
            return true;
        }

        default String name() {
            return "name";
        }
    }

    @Test
    void javaSerialization_ofAProxyThatIsFiltered_initialisesNothing() {
        ObjectInputFilter filter =
                info ->
                        info.serialClass() != null
                                        && SideEffect.class.isAssignableFrom(info.serialClass())
                                ? ObjectInputFilter.Status.REJECTED
                                : ObjectInputFilter.Status.ALLOWED;
        Codec<Box> codec = Codec.javaSerialization(Box.class, filter);
        Serializable proxy =
                (Serializable)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {NoneAtAll0.class, Serializable.class},
                                new Namer("n"));
        Box box = new Box(proxy);
        byte[] bytes = new byte[(int) codec.size(box)];
        codec.write(box, MemorySegment.ofArray(bytes));
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        byte[] other =
                text.replace("NoneAtAll0", "SideEffect").getBytes(StandardCharsets.ISO_8859_1);
        assertThat(other).hasSameSizeAs(bytes).isNotEqualTo(bytes);
        assertThatThrownBy(() -> codec.read(MemorySegment.ofArray(other)))
                .hasRootCauseInstanceOf(InvalidClassException.class);
        assertThat(isInitialised).isFalse();
    }

    @Test
    void records_ofAnotherLoader_comeBack() throws Exception {
        Object value = make(Outer.class, "name", make(Inner.class, 7));
        try (OffHeapCache<Long, Record> cache =
                OffHeapCache.<Long, Record>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(records(apart(Outer.class)))
                        .pool(pool)
                        .build()) {
            cache.put(1L, (Record) value);
            assertThat(cache.getIfPresent(1L)).isEqualTo(value).isInstanceOf(apart(Outer.class));
        }
    }

    @SuppressWarnings("unchecked") // each value is of the type
    private static Codec<Record> records(Class<?> type) {
        return (Codec<Record>) (Codec<?>) Codec.records(type.asSubclass(Record.class));
    }
}
