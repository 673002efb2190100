package io.polder.agent.library;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes {@code PolderByteBufAllocator} the default of each Netty in the process, where that chose
 * its adaptive or its pooled one by itself.
 *
 * <pre>
 *   io.netty.allocator.type is set, or Netty chose unpooled    Netty's choice
 *   Vert.x is there                                            Netty's choice
 *   the loader of Netty finds polder-netty                     the DEFAULT of that, with its pool
 *   otherwise                                                  one of a {@link NettyModule}
 *
 *   pool "netty" of the library &lt;-- allocator in a module &lt;-- DEFAULT_ALLOCATOR of Netty
 *   one in the process              one for each Netty
 * </pre>
 *
 * <p>The arrows are all there is: nothing here keeps a class of Netty's, so that its loader goes
 * when the program is done with it.
 *
 * <p><b>Failure.</b> Netty keeps what it chose, and {@code log} is told why, once.
 *
 * <p>Thread-safe. The monitor guards making the pool; nobody takes another lock of the agent's
 * inside. What was told has a lock of its own, as the agent tells under its monitor.
 */
public final class NettyDefault {
    private static final String TYPE = "io.netty.allocator.type";
    private static final String LIMITS = "io.netty.util.internal.PlatformDependent";

    /** The least that a pool takes for a limit. */
    private static final long LIMIT_MIN = 4 << 20;

    /** From here on a limit is none. */
    private static final long ADDRESS_SPACE = 1L << 47;

    /**
     * A class file of Vert.x. Vert.x releases what it receives only where the class of its
     * allocator is one of two of Netty's, and leaves all else to the garbage collector. It is asked
     * for by its name: classes with such a test are loaded after Netty chose.
     */
    private static final String VERTX = "io/vertx/core/Vertx.class";

    /** The type of all allocators. */
    private static final String BUFFERS = "io.netty.buffer.ByteBufAllocator";

    private static final String UNPOOLED = "io.netty.buffer.UnpooledByteBufAllocator";

    /** Where the classes are that Vert.x itself runs. */
    private static final String VERTX_PACKAGE = "io.vertx.core.";

    private final Instrumentation instrumentation;
    private final AgentJar jar;
    private final LazyJdk jdk;
    private final Log log;
    private final AtomicInteger served = new AtomicInteger();
    private volatile @Nullable Object pool;

    /** The pools of the allocators that are the program's; weak, as these know their loaders. */
    private final List<WeakReference<Object>> ofPrograms = new ArrayList<>();

    private final Object telling = new Object();
    private boolean told;

    /**
     * Does nothing yet.
     *
     * @param instrumentation which classes are loaded
     * @param jar where the allocator's classes lie
     * @param jdk what enables native access
     * @param log told in one line why a Netty keeps its own allocator
     */
    public NettyDefault(Instrumentation instrumentation, AgentJar jar, LazyJdk jdk, Log log) {
        this.instrumentation = instrumentation;
        this.jar = jar;
        this.jdk = jdk;
        this.log = log;
    }

    /**
     * A handle that takes Netty's choice and returns the allocator to be used.
     *
     * @param library whose blocks buffers are put into
     */
    public MethodHandle handle(Library library) {
        try {
            return MethodHandles.insertArguments(
                    MethodHandles.lookup()
                            .findVirtual(
                                    NettyDefault.class,
                                    "allocator",
                                    MethodType.methodType(
                                            Object.class, Library.class, Object.class)),
                    0,
                    this,
                    library);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a method of this class must be found", e);
        }
    }

    /** What the handle does. */
    Object allocator(Library library, Object chosen) {
        String type = System.getProperty(TYPE);
        if (type != null) {
            tell(TYPE + "=" + type + " is set");
            return chosen;
        }
        ClassLoader loader = chosen.getClass().getClassLoader();
        if (loader == null || chosen.getClass().getName().equals(UNPOOLED)) {
            return chosen;
        }
        List<Class<?>> users = new ArrayList<>();
        try {
            if (hasVertx(loader)
                    || hasVertx(Thread.currentThread().getContextClassLoader())
                    || isUsedByVertx(loader)) {
                tell("Vert.x would never release Polder's buffers");
                return chosen;
            }
            Class<?> allocator = ofProgram(loader);
            if (allocator != null) {
                users.add(allocator.getMethod("pool").getReturnType());
                users.add(allocator);
                for (Class<?> user : users) {
                    Library.prepare(user.getModule(), jdk, log);
                }
            } else {
                Class<?> memory = poolOf(library);
                users.add(memory);
                allocator =
                        new NettyModule(jar, jdk.get(), log)
                                .allocator(loader, pool(memory, loader));
                users.add(allocator);
            }
            NettyModule.giveChoice(allocator, chosen);
            Object made = allocator.getField("DEFAULT").get(null);
            if (!(boolean) allocator.getMethod("isDirectBufferPooled").invoke(made)) {
                throw new UnsupportedOperationException("it was denied at its first use");
            }
            remember(allocator.getMethod("pool").invoke(made));
            served.incrementAndGet();
            return made;
        } catch (UnsupportedOperationException denied) {
            String flag = Library.missingFlag(users);
            tell(
                    flag == null
                            ? "Polder's has no native memory: " + denied.getMessage()
                            : "native access is denied: start with " + flag);
        } catch (Throwable e) { // from the program's own classes, too
            tell("Polder's cannot be used: " + e);
        }
        return chosen;
    }

    /** Whether {@code loader} finds Vert.x; nothing of it is loaded. */
    private static boolean hasVertx(@Nullable ClassLoader loader) {
        return loader != null && loader.getResource(VERTX) != null;
    }

    /** Whether Vert.x runs in some loader that has its Netty from {@code netty}. */
    private boolean isUsedByVertx(ClassLoader netty) {
        Set<ClassLoader> asked = new HashSet<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            ClassLoader loader = type.getClassLoader();
            if (type.getName().startsWith(VERTX_PACKAGE)
                    && loader != null
                    && asked.add(loader)
                    && finds(loader, netty)) {
                return true;
            }
        }
        return false;
    }

    private static boolean finds(ClassLoader loader, ClassLoader netty) {
        try {
            return Class.forName(BUFFERS, false, loader).getClassLoader() == netty;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** The class that the program itself has for this Netty; null if it has none. */
    private static @Nullable Class<?> ofProgram(ClassLoader loader) {
        try {
            Class<?> wanted = Class.forName(NettyModule.ALLOCATORS, false, loader);
            Class<?> found = Class.forName(NettyModule.ALLOCATOR, false, loader);
            return wanted.isAssignableFrom(found) ? found : null;
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** Class {@code MemoryPool} of the library. */
    private static Class<?> poolOf(Library library) {
        Class<?> type = library.pool();
        if (type == null) {
            throw new IllegalStateException(library.origin());
        }
        return type;
    }

    /** The pool of all allocators, with the limit of the first Netty's direct memory. */
    private synchronized Object pool(Class<?> type, ClassLoader netty)
            throws ReflectiveOperationException {
        Object made = pool;
        if (made == null) {
            Object builder = type.getMethod("builder").invoke(null);
            builder.getClass().getMethod("name", String.class).invoke(builder, "netty");
            Class<?> limits = Class.forName(LIMITS, true, netty);
            long limit = (long) limits.getMethod("maxDirectMemory").invoke(null);
            if (limit > 0 && limit < ADDRESS_SPACE) {
                builder.getClass()
                        .getMethod("committedMaxBytes", long.class)
                        .invoke(builder, Math.max(limit, LIMIT_MIN));
            }
            made = builder.getClass().getMethod("build").invoke(builder);
            try {
                type.getMethod("blocks").invoke(made);
            } catch (InvocationTargetException e) {
                type.getMethod("close").invoke(made);
                if (e.getCause() instanceof UnsupportedOperationException denied) {
                    throw denied;
                }
                throw e;
            }
            pool = made;
        }
        return made;
    }

    /** Says it where a Netty chose before the agent came. */
    public void tellOfLoaded(String chooser) {
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            if (type.getName().equals(chooser)) {
                tell("it chose before the agent came");
            }
        }
    }

    /** Says once why a Netty keeps its own; on and on if what says it fails. */
    public void tell(String why) {
        synchronized (telling) {
            if (!told) {
                log.say("Netty keeps its own allocator: " + why);
                told = true;
            }
        }
    }

    private synchronized void remember(Object used) {
        ofPrograms.removeIf(each -> each.get() == null);
        if (used != pool) {
            ofPrograms.add(new WeakReference<>(used));
        }
    }

    /** What became of it, for people; the pool has a report of its own among those of all pools. */
    public synchronized String report() {
        List<Object> used = new ArrayList<>();
        if (pool != null) {
            used.add(pool);
        }
        ofPrograms.stream().map(WeakReference::get).filter(Objects::nonNull).forEach(used::add);
        return "Netty: the default allocator of "
                + served.get()
                + " is Polder's\n"
                + (used.isEmpty() || used.stream().anyMatch(Library::hasHeldAny)
                        ? ""
                        : "  No direct buffer was allocated of it: what has an allocator of its"
                                + " own, as gRPC has, does not ask it\n");
    }
}
