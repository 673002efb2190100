package io.polder.lab.experiments.cache;

import io.polder.bench.JvmFlags;
import io.polder.tools.html.Term;
import io.polder.tools.html.Tone;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Whose cache it is. */
enum Contender {
    POLDER,
    OHC,
    EHCACHE,
    INFINISPAN,
    CHRONICLE,
    MAPDB,
    CAFFEINE;

    /** Those that the lab has on its class path. */
    static final List<Contender> BUILT_IN = List.of(POLDER, CAFFEINE);

    /** Packages that Chronicle reaches into, by its own documentation for Java 17 and newer. */
    private static final List<String> CHRONICLE_OPENS =
            List.of(
                    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
                    "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
                    "--add-opens=java.base/java.io=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/java.util=ALL-UNNAMED",
                    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED");

    /** Name in metrics and tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Flags that only its own JVMs have. */
    List<String> jvmArgs() {
        return switch (this) {
            case POLDER, INFINISPAN -> List.of(JvmFlags.NATIVE_ACCESS);
            case OHC -> List.of(JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS);
            case EHCACHE, MAPDB, CAFFEINE -> List.of();
            case CHRONICLE -> {
                List<String> all = new ArrayList<>(CHRONICLE_OPENS);
                all.add(JvmFlags.NATIVE_ACCESS);
                all.add(JvmFlags.UNSAFE_ACCESS);
                // It would tell its makers by the network that it was used.
                all.add("-Dchronicle.analytics.disable=true");
                yield all;
            }
        };
    }

    /** Those flags, a line each; of opened packages only how many there are. */
    List<String> flags() {
        List<String> args = jvmArgs();
        List<String> flags =
                new ArrayList<>(args.stream().filter(arg -> !arg.startsWith("--add-")).toList());
        int opened = args.size() - flags.size();
        if (opened > 0) {
            flags.addFirst(opened + " of --add-opens and --add-exports");
        }
        return flags.isEmpty() ? List.of("none") : flags;
    }

    /** What it is, under a name for people. */
    Term term() {
        return new Term(
                id(),
                switch (this) {
                    case POLDER -> "OffHeapCache, with a limit in bytes that counts everything.";
                    case OHC -> "OHC’s linked tables: malloc for each entry, LRU.";
                    case EHCACHE -> "Ehcache’s off-heap tier alone, allocated when it is opened.";
                    case INFINISPAN -> "Infinispan’s OFF_HEAP storage: malloc for each entry.";
                    case CHRONICLE ->
                            "Chronicle Map in memory. It evicts nothing: the oldest entry is"
                                    + " removed when values are beyond the limit.";
                    case MAPDB -> "MapDB’s memoryDirectDB with expireStoreSize.";
                    case CAFFEINE -> "Caffeine with arrays of bytes, on the Java heap.";
                });
    }

    Tone tone() {
        return switch (this) {
            case POLDER -> Tone.OURS;
            case OHC -> Tone.A;
            case EHCACHE -> Tone.B;
            case INFINISPAN -> Tone.C;
            case CHRONICLE -> Tone.D;
            case MAPDB -> Tone.E;
            case CAFFEINE -> Tone.F;
        };
    }

    boolean isBuiltIn() {
        return BUILT_IN.contains(this);
    }

    /**
     * A contender.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    static Contender withId(String id) {
        return Arrays.stream(values())
                .filter(contender -> contender.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such contender: id=" + id));
    }
}
