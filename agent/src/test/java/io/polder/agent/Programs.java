package io.polder.agent;

/** Sources of programs. Each prints what kinds of arenas it got. */
final class Programs {
    /** Every form in which source code opens an arena. */
    static final String FORMS =
            """
            package example;

            import java.lang.foreign.Arena;
            import java.util.function.Supplier;

            public class Forms {
                interface Opener extends Supplier<Arena>, java.io.Serializable {}

                public static void main(String[] arguments) {
                    show("call", Arena.ofConfined());
                    show("shared call", Arena.ofShared());
                    show("reference", open(Arena::ofConfined));
                    show("shared reference", open(Arena::ofShared));
                    show("lambda", open(() -> Arena.ofConfined()));
                    Opener opener = Arena::ofConfined;
                    show("serializable", opener.get());
                    show("auto", Arena.ofAuto());
                    try (Arena arena = Arena.ofConfined()) {
                        arena.allocate(24).set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 42);
                    }
                }

                static Arena open(Supplier<Arena> supplier) {
                    return supplier.get();
                }

                static void show(String form, Arena arena) {
                    System.out.println(form + ": " + arena.getClass().getModule().getName()
                            + " " + arena.getClass().getSimpleName());
                }
            }
            """;

    /** What {@link #FORMS} prints when all is pooled. */
    static final String[] FORMS_POOLED = {
        "call: io.polder ConfinedArena",
        "shared call: io.polder SharedArena",
        "reference: io.polder ConfinedArena",
        "shared reference: io.polder SharedArena",
        "lambda: io.polder ConfinedArena",
        "serializable: java.base ArenaImpl",
        "auto: java.base ArenaImpl"
    };

    /** What {@link #FORMS} prints without the agent. */
    static final String[] FORMS_OF_JDK = {
        "call: java.base ArenaImpl",
        "shared call: java.base ArenaImpl",
        "reference: java.base ArenaImpl",
        "shared reference: java.base ArenaImpl",
        "lambda: java.base ArenaImpl",
        "serializable: java.base ArenaImpl",
        "auto: java.base ArenaImpl"
    };

    /** Runs {@code example.Forms} in a loader that hides everything but the JDK. */
    static final String ISOLATED =
            """
            package launcher;

            import java.net.URL;
            import java.net.URLClassLoader;
            import java.nio.file.Path;

            public class Isolated {
                /** As strict as a loader can be: only names that begin with java. */
                static final class Strict extends URLClassLoader {
                    Strict(URL[] urls) {
                        super(urls, null);
                    }

                    @Override
                    protected Class<?> loadClass(String name, boolean resolve)
                            throws ClassNotFoundException {
                        Class<?> known = findLoadedClass(name);
                        if (known != null) {
                            return known;
                        }
                        return name.startsWith("java.")
                                ? ClassLoader.getSystemClassLoader().loadClass(name)
                                : findClass(name);
                    }
                }

                public static void main(String[] arguments) throws Exception {
                    URL[] urls = {Path.of(arguments[0]).toUri().toURL()};
                    new Strict(urls).loadClass("example.Forms")
                            .getMethod("main", String[].class)
                            .invoke(null, (Object) arguments);
                }
            }
            """;

    /** Contains the library itself, and says whether its pool is the agent's. */
    static final String WITH_LIBRARY =
            """
            package example;

            import io.polder.MemoryPool;
            import java.lang.foreign.Arena;

            public class WithLibrary {
                public static void main(String[] arguments) {
                    MemoryPool.common(); // the first arenas of a process are of the JDK
                    Class<?> ours = MemoryPool.ofConfined().getClass();
                    Class<?> agents = Arena.ofConfined().getClass();
                    System.out.println(ours == agents ? "one pool" : ours + " " + agents);
                    System.out.println("pooled=" + MemoryPool.common().stats().arenas().pooled());
                }
            }
            """;

    /** Uses the library, and opens no arena in another way. */
    static final String LIBRARY_ALONE =
            """
            package example;

            import io.polder.MemoryPool;
            import java.lang.foreign.Arena;

            public class LibraryAlone {
                public static void main(String[] arguments) {
                    try (Arena arena = MemoryPool.ofConfined()) {
                        arena.allocate(20);
                    }
                }
            }
            """;

    /** Runs {@link #LIBRARY_ALONE} in two loaders, each with a copy of the library. */
    static final String COPIES =
            """
            package launcher;

            import java.io.File;
            import java.lang.foreign.Arena;
            import java.net.URL;
            import java.net.URLClassLoader;

            public class Copies {
                static final class WebApplication extends URLClassLoader {
                    WebApplication(URL[] urls) {
                        super(urls, ClassLoader.getPlatformClassLoader());
                    }
                }

                public static void main(String[] arguments) throws Exception {
                    URL[] urls = {
                        new File(arguments[0]).toURI().toURL(),
                        new File(arguments[1]).toURI().toURL()
                    };
                    for (int i = 0; i < 2; i++) {
                        new WebApplication(urls).loadClass("example.LibraryAlone")
                                .getMethod("main", String[].class)
                                .invoke(null, (Object) arguments);
                    }
                    if (arguments[2].equals("first")) { // has no memory of a pool
                        System.clearProperty("polder.leaks");
                    }
                    if (!arguments[2].equals("none")) {
                        try (Arena arena = Arena.ofConfined()) {
                            arena.allocate(100);
                        }
                    }
                }
            }
            """;

    /** Opens arenas in numbers that a census must find again. */
    static final String COUNTED =
            """
            package example;

            import java.lang.foreign.Arena;
            import java.util.function.Supplier;

            public class Counted {
                public static void main(String[] arguments) throws Exception {
                    Thread[] threads = new Thread[4];
                    for (int i = 0; i < threads.length; i++) {
                        threads[i] = i % 2 == 0
                                ? Thread.ofPlatform().start(Counted::small)
                                : Thread.ofVirtual().start(Counted::small);
                    }
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    for (int i = 0; i < 10; i++) {
                        try (Arena arena = Arena.ofConfined()) {
                            arena.allocate(100_000);
                        }
                    }
                    for (int i = 0; i < 5; i++) {
                        try (Arena arena = Arena.ofShared()) {
                            arena.allocate(64);
                        }
                    }
                    for (int i = 0; i < 3; i++) {
                        Arena.ofConfined().allocate(1);
                    }
                    Supplier<Arena> reference = Arena::ofConfined;
                    for (int i = 0; i < 7; i++) {
                        reference.get().close();
                    }
                }

                static void small() {
                    for (int i = 0; i < 1000; i++) {
                        try (Arena arena = Arena.ofConfined()) {
                            arena.allocate(5);
                            arena.allocate(8, 8);
                        }
                    }
                }
            }
            """;

    /** Opens an arena whenever it reads a line, and says which kind; ends with its input. */
    static final String LASTING =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Lasting {
                public static void main(String[] arguments) throws Exception {
                    System.out.println("begun");
                    while (System.in.read() >= 0) {
                        try (Arena arena = open()) {
                            arena.allocate(20);
                            System.out.println(arena.getClass().getSimpleName());
                        }
                    }
                }

                static Arena open() {
                    return Arena.ofConfined();
                }
            }
            """;

    /**
     * As {@link #LASTING}; before the first arena it lowers its address space to what it has, so
     * that there is no room for the stack of another thread.
     */
    static final String THREADLESS =
            """
            package example;

            import java.lang.foreign.Arena;
            import java.lang.foreign.FunctionDescriptor;
            import java.lang.foreign.Linker;
            import java.lang.foreign.MemorySegment;
            import java.lang.foreign.ValueLayout;
            import java.nio.file.Files;
            import java.nio.file.Path;

            public class Threadless {
                private static final int RLIMIT_AS = 9;

                public static void main(String[] arguments) throws Throwable {
                    System.out.println("begun");
                    System.in.read();
                    lower();
                    do {
                        try (Arena arena = open()) {
                            System.out.println(arena.getClass().getSimpleName());
                        }
                    } while (System.in.read() >= 0);
                }

                static Arena open() {
                    return Arena.ofConfined();
                }

                /** The JVM has some for itself, and a thread needs more with -Xss512m. */
                private static void lower() throws Throwable {
                    var set = Linker.nativeLinker().downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("setrlimit"),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                                    ValueLayout.ADDRESS));
                    MemorySegment limit = Arena.global().allocate(16, 8);
                    String size = Files.readAllLines(Path.of("/proc/self/status")).stream()
                            .filter(line -> line.startsWith("VmSize:")).findFirst().orElseThrow();
                    long kib = Long.parseLong(size.replaceAll("[^0-9]", ""));
                    limit.set(ValueLayout.JAVA_LONG, 0, kib + (256 << 10) << 10);
                    limit.set(ValueLayout.JAVA_LONG, 8, -1);
                    int result = (int) set.invokeExact(RLIMIT_AS, limit);
                    if (result != 0) {
                        throw new IllegalStateException("a limit must be set");
                    }
                }
            }
            """;

    /** As {@link #LASTING}, with a class that is loaded and, without Missing, cannot be linked. */
    static final String UNLINKED =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Unlinked {
                static class Base {}

                static class Missing extends Base {}

                static class Uses {
                    static Base verified() {
                        Arena.ofConfined().close();
                        return new Missing();
                    }
                }

                public static void main(String[] arguments) throws Exception {
                    ClassLoader loader = Unlinked.class.getClassLoader();
                    Class.forName("example.Unlinked$Uses", false, loader);
                    Lasting.main(arguments);
                }
            }
            """;

    /** As {@link #LASTING}, by a loader that takes its time to find a class file. */
    static final String SLOWLY_FOUND =
            """
            package example;

            import java.io.InputStream;
            import java.net.URL;
            import java.net.URLClassLoader;
            import java.nio.file.Path;

            public class SlowlyFound extends URLClassLoader {
                SlowlyFound() throws Exception {
                    super(new URL[] {Path.of("classes").toUri().toURL()}, null);
                }

                @Override
                public InputStream getResourceAsStream(String name) {
                    try {
                        Thread.sleep(3000);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return super.getResourceAsStream(name);
                }

                public static void main(String[] arguments) throws Exception {
                    Class<?> lasting = new SlowlyFound().loadClass("example.Lasting");
                    lasting.getMethod("main", String[].class).invoke(null, (Object) arguments);
                }
            }
            """;

    /** Has a logger that opens an arena for what the library logs when it is initialised. */
    static final String LOGGER =
            """
            package example;

            import java.lang.foreign.Arena;
            import java.util.ResourceBundle;

            public class Logging {
                public static final class Finder extends System.LoggerFinder {
                    @Override
                    public System.Logger getLogger(String name, Module module) {
                        return new Logger();
                    }
                }

                static final class Logger implements System.Logger {
                    @Override
                    public String getName() {
                        return "example";
                    }

                    @Override
                    public boolean isLoggable(Level level) {
                        return true;
                    }

                    @Override
                    public void log(Level level, ResourceBundle b, String text, Throwable e) {
                        if (Boolean.getBoolean("overflow")) {
                            throw new StackOverflowError("of the logger");
                        }
                        Class<?> kind = Arena.ofConfined().getClass();
                        System.out.println("logged " + kind.getSimpleName());
                    }

                    @Override
                    public void log(Level level, ResourceBundle b, String text, Object... all) {
                        log(level, b, text, (Throwable) null);
                    }
                }

                public static void main(String[] arguments) {
                    System.out.println(Arena.ofConfined().getClass().getSimpleName());
                    System.out.println(Arena.ofShared().getClass().getSimpleName());
                }
            }
            """;

    /** Deletes or empties a file before it opens its first arenas. */
    static final String CHANGES_A_FILE =
            """
            package example;

            import java.nio.file.Files;
            import java.nio.file.Path;

            public class Changes {
                public static void main(String[] arguments) throws Exception {
                    Path file = Path.of(arguments[0]);
                    if (arguments[1].equals("delete")) {
                        Files.delete(file);
                    } else {
                        Files.write(file, new byte[0]);
                    }
                    Forms.main(arguments);
                }
            }
            """;

    /** Opens its first arenas while the stack is about to end, with the JDK's classes in use. */
    static final String DEEP =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Deep {
                static final java.util.Set<Class<?>> THROWN = new java.util.HashSet<>();
                static int opened;

                static void descend() {
                    try {
                        descend();
                    } catch (StackOverflowError e) {
                        // Opens arenas on its way back.
                    }
                    if (opened < 1000) {
                        try {
                            Arena.ofConfined().close();
                            opened++;
                        } catch (Throwable e) {
                            THROWN.add(e.getClass());
                        }
                    }
                }

                public static void main(String[] arguments) throws Exception {
                    Arena arena = (Arena) Arena.class.getMethod("ofConfined").invoke(null);
                    arena.allocate(8);
                    arena.close();
                    try {
                        descend();
                    } catch (StackOverflowError e) {
                        // As expected.
                    }
                    System.out.println(Arena.ofConfined().getClass().getSimpleName());
                    THROWN.remove(StackOverflowError.class);
                    System.out.println(THROWN);
                }
            }
            """;

    /** A class of the library in whose place there is one that cannot be initialised. */
    static final String BROKEN_PART =
            """
            package io.polder.arena;

            public class BumpRange {
                static {
                    if (!BumpRange.class.desiredAssertionStatus()) {
                        throw new IllegalStateException("broken for a test");
                    }
                }
            }
            """;

    private Programs() {}
}
