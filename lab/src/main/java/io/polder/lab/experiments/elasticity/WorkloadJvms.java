package io.polder.lab.experiments.elasticity;

import io.polder.bench.JvmFlags;
import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.MeasuringJvm;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Starts {@link WorkloadJvm}s, and sees to it that they differ in the contender only.
 *
 * <p>The Java heap has one size and is touched before anything is measured, so that it adds the
 * same to the resident set at all times. Its size follows from the workload, not from the
 * contender: there is room for the addresses that {@link IdealMalloc} keeps and for the arenas of
 * Polder, no matter who it is.
 *
 * @param catalogue what is loaded
 * @param file where the catalogue was written
 * @param seed of the catalogue
 * @param installed libraries that can be preloaded
 */
record WorkloadJvms(
        ClassCatalogue catalogue, Path file, long seed, Map<MallocLibrary, Path> installed) {
    /** The heap, besides what grows with the workload. A guess, ample. */
    private static final long HEAP_BYTES = 64 << 20;

    /** Java objects of an owner and of an arena. A guess, ample. */
    private static final long HEAP_BYTES_PER_LOADER = 1 << 10;

    /** Copies the map. */
    WorkloadJvms {
        installed = Map.copyOf(installed);
    }

    /** Arguments of the JVMs of a workload, as it is run. */
    List<String> jvmArgs(Workload scaled) {
        long bytes =
                HEAP_BYTES
                        + BlockSlots.of(scaled, catalogue).count() * (long) Long.BYTES
                        + scaled.loadersEver() * HEAP_BYTES_PER_LOADER;
        long mebibytes = Math.ceilDiv(bytes, 1 << 20);
        return List.of(
                JvmFlags.NATIVE_ACCESS,
                "-XX:+UseSerialGC",
                "-Xms" + mebibytes + "m",
                "-Xmx" + mebibytes + "m",
                "-XX:+AlwaysPreTouch");
    }

    /**
     * Runs a workload on a contender, once.
     *
     * @throws ExperimentException if that failed
     */
    Recording run(Contender contender, Workload scaled, Scale scale)
            throws ExperimentException, InterruptedException {
        MallocLibrary library = contender.library();
        Path preload = library == null ? null : installed.get(library);
        String preloaded = preload == null ? null : preload.toString();
        Map<String, String> environment = new HashMap<>(MallocLibrary.preloading(preloaded));
        if (contender.kind() == Kind.STEADY && library != null) {
            environment.putAll(library.keeping());
        }
        Findings findings = new Findings();
        new MeasuringJvm(WorkloadJvm.class, jvmArgs(scaled), scale.timeout(), environment)
                .run(
                        "The workload " + scaled.id() + " on " + contender.id(),
                        new WorkloadJvm.Task(
                                contender, scaled.id(), file.toString(), seed, preloaded, scale),
                        findings);
        return new Recording(findings);
    }
}
