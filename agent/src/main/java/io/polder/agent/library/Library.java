package io.polder.agent.library;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.jar.JarFile;

/**
 * The library that arenas come from: the program's own where it has one, so that both share the
 * common pool; otherwise the copy in the agent's jar, as module {@code io.polder} in a layer and a
 * class loader of its own.
 *
 * <p><b>Native access.</b> A module of that name is given it, the program's by {@link #prepare}.
 * The class path is not: it is the module of everything else there, too. Then the flags of the JVM
 * decide.
 *
 * <p><b>Failure.</b> Without a library arenas are the JDK's, and {@code log} is told why, once.
 *
 * @param confined opens a confined arena on the common pool, or as the JDK does where there is none
 * @param shared the same for shared arenas
 * @param report gives the reports of all pools
 * @param origin where it comes from, for people
 * @param pool class {@code MemoryPool}; null where there is no library
 */
public record Library(
        MethodHandle confined,
        MethodHandle shared,
        Supplier<String> report,
        String origin,
        @Nullable Class<?> pool) {
    private static final String MODULE = "io.polder";
    private static final String POOL = "io.polder.MemoryPool";
    private static final String UNNAMED = "ALL-UNNAMED";
    private static final String FLAG = "--enable-native-access=";

    /**
     * Enables native access for the library if the program has it as a module, before the program
     * can use it.
     *
     * @param netty whether also for Polder's module for Netty
     * @param jdk what does it; asked only then
     * @param log told in one line of what prevents pooling
     */
    public static void prepare(boolean netty, Supplier<OpenedJdk> jdk, Log log) {
        ModuleLayer boot = ModuleLayer.boot();
        prepare(boot.findModule(MODULE).orElse(null), jdk, log);
        if (netty) {
            prepare(boot.findModule(NettyModule.NAME).orElse(null), jdk, log);
        }
    }

    /** Enables native access for a module of the program's that is Polder's, and for no other. */
    static void prepare(@Nullable Module module, Supplier<OpenedJdk> jdk, Log log) {
        if (module != null
                && (MODULE.equals(module.getName()) || NettyModule.NAME.equals(module.getName()))
                && !module.isNativeAccessEnabled()) {
            enableNativeAccess(module, module.getName(), jdk.get(), log);
        }
    }

    /** The flag that gives native access to those of these classes that lack it; null if none. */
    static @Nullable String missingFlag(List<Class<?>> users) {
        Set<String> names = new LinkedHashSet<>();
        for (Class<?> user : users) {
            Module module = user.getModule();
            if (!module.isNativeAccessEnabled()) {
                // Flags reach no other layers; the agent passes on to its own what it has itself.
                names.add(module.getLayer() == ModuleLayer.boot() ? module.getName() : UNNAMED);
            }
        }
        return names.isEmpty() ? null : FLAG + String.join(",", names);
    }

    /**
     * Finds the library or loads it.
     *
     * @param jar the agent's jar
     * @param jdk what enables native access
     * @param log told in one line of what prevents pooling
     */
    public static Library find(AgentJar jar, OpenedJdk jdk, Log log) {
        try {
            Class<?> own = find(ClassLoader.getSystemClassLoader());
            if (own == null) {
                Module module = embedded(jar.open(), jdk, log);
                Class<?> embedded = find(module.getClassLoader());
                if (embedded == null) {
                    throw new IllegalStateException("no " + POOL + " in the agent's jar");
                }
                return of(embedded, "the agent's");
            }
            makeCommon(own);
            return ofProgram(own);
        } catch (Throwable e) { // from the program's own library, too
            String why = withCause(e);
            log.say("arenas are the JDK's, not pooled: the library cannot be used: " + why);
            return none("there is no library: " + why);
        }
    }

    /**
     * The library of the program, if the program has used it.
     *
     * @param loaded the classes that the program's loader knows by now
     */
    public static @Nullable Library used(Class<?>[] loaded) {
        for (Class<?> type : loaded) {
            if (type.getName().equals(POOL)) {
                try {
                    return ofProgram(type);
                } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
                    return none("the program's library cannot be used: " + e);
                }
            }
        }
        return null;
    }

    /**
     * What open pools of a copy of the library say that is neither this one nor that of the class
     * path: one of a web application, or of a jar with jars inside.
     *
     * @param loaded any class
     * @param used what is reported already, if anything
     * @return empty if the class is not that of such a copy, or there are no pools
     */
    public static String reportOfOther(Class<?> loaded, @Nullable Library used) {
        return !loaded.getName().equals(POOL)
                        || loaded.getClassLoader() == ClassLoader.getSystemClassLoader()
                        || (used != null && loaded == used.pool)
                ? ""
                : new Report(loaded, false).get();
    }

    /** Whether none of its pools has ever held memory. */
    public boolean isUnused() {
        try {
            return pool != null
                    && ((List<?>) pool.getMethod("openPools").invoke(null))
                            .stream().noneMatch(Library::hasHeldAny);
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }

    /** Whether a pool has ever held memory; also if that is not known. */
    static boolean hasHeldAny(Object pool) {
        try {
            Method stats = pool.getClass().getMethod("stats");
            Object now = stats.invoke(pool);
            Method total = stats.getReturnType().getMethod("committedTotalBytes");
            return (long) total.invoke(now) != 0;
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static Library ofProgram(Class<?> pool) throws ReflectiveOperationException {
        return of(pool, "the program's");
    }

    /** No library: arenas are the JDK's. */
    private static Library none(String why) {
        return new Library(
                jdkConfined(), jdkShared(), () -> "Arenas are the JDK's: " + why + '\n', why, null);
    }

    /** Opens a confined arena of the JDK's. */
    public static MethodHandle jdkConfined() {
        return ofJdk("ofConfined");
    }

    /** Opens a shared arena of the JDK's. */
    public static MethodHandle jdkShared() {
        return ofJdk("ofShared");
    }

    private static MethodHandle ofJdk(String name) {
        try {
            return opening(Arena.class, name);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the JDK must open arenas", e);
        }
    }

    /**
     * Makes the pool of the program's library now: parts of two versions may be on its path, and a
     * library that cannot be used is to be found out in time. The agent's own is one jar, and has
     * its first arenas without a pool.
     */
    private static void makeCommon(Class<?> pool) throws Throwable {
        MethodHandle common =
                MethodHandles.publicLookup()
                        .findStatic(pool, "common", MethodType.methodType(pool));
        try {
            Object _ = common.invoke();
        } catch (VirtualMachineError thisTime) {
            // The library makes it when it is asked next.
        }
    }

    /** That a class cannot be initialised says little without why. */
    private static String withCause(Throwable e) {
        return e.getCause() == null ? e.toString() : e + ", because of " + e.getCause();
    }

    private static Library of(Class<?> pool, String whose) throws ReflectiveOperationException {
        Module module = pool.getModule();
        String where = module.isNamed() ? "module " + module.getName() : "on the class path";
        return new Library(
                opening(pool, "ofConfined"),
                opening(pool, "ofShared"),
                new Report(pool, true),
                whose + ", " + where,
                pool);
    }

    private static MethodHandle opening(Class<?> opener, String name)
            throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(Arena.class);
        return MethodHandles.publicLookup().findStatic(opener, name, type);
    }

    /** What pools say, found when it is asked: most programs never do. */
    private record Report(Class<?> pool, boolean commonFirst) implements Supplier<String> {
        @Override
        public String get() {
            try {
                List<Object> pools = new ArrayList<>();
                if (commonFirst) {
                    pools.add(pool.getMethod("common").invoke(null));
                }
                for (Object each : (List<?>) pool.getMethod("openPools").invoke(null)) {
                    if (!pools.contains(each)) {
                        pools.add(each);
                    }
                }
                Method report = pool.getMethod("report");
                StringBuilder text = new StringBuilder();
                for (Object each : pools) {
                    text.append(text.isEmpty() ? "" : "\n").append(report.invoke(each));
                }
                return text.toString();
            } catch (ReflectiveOperationException | LinkageError e) {
                return "The library does not report: " + e + '\n';
            }
        }
    }

    private static Module embedded(JarFile jar, OpenedJdk jdk, Log log) throws IOException {
        ModuleLayer boot = ModuleLayer.boot();
        Configuration configuration =
                boot.configuration()
                        .resolve(EmbeddedModule.in(jar), ModuleFinder.of(), Set.of(MODULE));
        ModuleLayer.Controller controller =
                ModuleLayer.defineModulesWithOneLoader(
                        configuration, List.of(boot), ClassLoader.getPlatformClassLoader());
        Module module = controller.layer().findModule(MODULE).orElseThrow();
        enableNativeAccess(controller, module, jdk, log);
        return module;
    }

    /** Gives a module of the agent's native access, be it denied to others or not. */
    static void enableNativeAccess(
            ModuleLayer.Controller controller, Module module, OpenedJdk jdk, Log log) {
        if (Library.class.getModule().isNativeAccessEnabled()) {
            passOn(controller, module);
        } else {
            enableNativeAccess(module, UNNAMED, jdk, log);
        }
    }

    @SuppressWarnings("restricted") // passes on what the command line gave to the agent
    private static void passOn(ModuleLayer.Controller controller, Module module) {
        controller.enableNativeAccess(module);
    }

    private static void enableNativeAccess(Module module, String flagged, OpenedJdk jdk, Log log) {
        try {
            jdk.enableNativeAccess(module);
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.say(
                    "this JDK does not let an agent enable native access: start Java with "
                            + FLAG
                            + flagged);
        }
    }

    private static @Nullable Class<?> find(ClassLoader loader) {
        try {
            return Class.forName(POOL, false, loader);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
