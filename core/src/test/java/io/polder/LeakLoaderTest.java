package io.polder;

import io.polder.leak.Collected;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;

/** What is watched no more, closed or found to be a leak, keeps no class that opened it. */
class LeakLoaderTest {
    private static final String PROGRAM = LeakLoaderTest.class.getName() + "$Program";

    @ParameterizedTest
    @ValueSource(longs = {100, 100_000, 8 << 20})
    void closed_watched_keepsNoClassLoader(long bytes) throws Exception {
        try (MemoryPool pool = MemoryPool.builder().leaks(LeakDetection.ALL).build()) {
            WeakReference<ClassLoader> loader = useOnce(pool, bytes);
            Collected.until("the loader is collected", () -> loader.refersTo(null));
        }
    }

    @Test
    void poolIsClosed_withALeakThatIsStillKnown_keepsNoClassLoader() throws Exception {
        String name = "closed, with a leak of another loader";
        WeakReference<ClassLoader> loader;
        try (MemoryPool pool = MemoryPool.builder().name(name).leaks(LeakDetection.ALL).build()) {
            loader = useOnce(pool, -100);
        }
        Collected.until(
                "the loader is collected and the leak listed",
                () ->
                        loader.refersTo(null)
                                && OpenPools.INSTANCE.formerLeaks().stream()
                                        .anyMatch(each -> each.startsWith(name + ": ")));
    }

    private static WeakReference<ClassLoader> useOnce(MemoryPool pool, long bytes)
            throws Exception {
        ClassLoader loader = new Loader();
        @SuppressWarnings("unchecked")
        Consumer<Object[]> program =
                (Consumer<Object[]>)
                        loader.loadClass(PROGRAM).getDeclaredConstructor().newInstance();
        program.accept(new Object[] {pool, bytes});
        return new WeakReference<>(loader);
    }

    /** Opens, allocates and closes; forgets to close where the bytes are negative. */
    public static final class Program implements Consumer<Object[]> {
        /** Made by its loader. */
        public Program() {}

        @Override
        public void accept(Object[] poolAndBytes) {
            long bytes = (long) poolAndBytes[1];
            Arena arena = ((MemoryPool) poolAndBytes[0]).openConfined();
            arena.allocate(Math.abs(bytes));
            if (bytes > 0) {
                arena.close();
            }
        }
    }

    /** Has the program for itself, and all else from the loader of the test. */
    private static final class Loader extends ClassLoader {
        Loader() {
            super(LeakLoaderTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(PROGRAM)) {
                return super.loadClass(name, resolve);
            }
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = getParent().getResourceAsStream(file)) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unread) {
                throw new UncheckedIOException(unread);
            }
        }
    }
}
