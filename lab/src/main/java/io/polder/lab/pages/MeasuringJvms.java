package io.polder.lab.pages;

import io.polder.bench.JvmFlags;
import io.polder.lab.experiment.ExperimentException;
import io.polder.lab.jvm.ChildJvm;
import io.polder.lab.jvm.ChildJvmException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Starts the JVMs that measure.
 *
 * <p>Their Java heap has one size and is touched before; what is allocated during a run fits its
 * young part, so that no collection of it falls into a run.
 *
 * @param effort how much they do
 */
record MeasuringJvms(Effort effort) {
    /** Arguments of all of them. */
    static final List<String> JVM_ARGS =
            List.of(
                    JvmFlags.NATIVE_ACCESS,
                    "-XX:+UseSerialGC",
                    "-Xms320m",
                    "-Xmx320m",
                    "-Xmn256m",
                    "-XX:+AlwaysPreTouch");

    /** Runs the program on a contender, once. */
    Recording run(Contender contender, long seed) throws ExperimentException, InterruptedException {
        List<String> args = new ArrayList<>(List.of(contender.id(), Long.toString(seed)));
        args.addAll(effort.toArgs());
        Recording recording = new Recording();
        run(PagesJvm.class, args, recording::accept, "The program failed on " + contender.id());
        if (!recording.isComplete()) {
            throw new ExperimentException("The program ended early on " + contender.id(), null);
        }
        return recording;
    }

    /** Assembles, by itself. */
    Assemblies assemble() throws ExperimentException, InterruptedException {
        Assemblies assemblies = new Assemblies();
        List<String> args = List.of(Integer.toString(effort.assemblies()));
        run(AssemblyJvm.class, args, assemblies::accept, "Assembling failed");
        if (assemblies.count() != effort.assemblies()) {
            throw new ExperimentException("Assembling ended early.", null);
        }
        return assemblies;
    }

    private void run(Class<?> main, List<String> args, Consumer<String> lines, String failed)
            throws ExperimentException, InterruptedException {
        try {
            new ChildJvm(main, JVM_ARGS, args, effort.timeout()).run(lines);
        } catch (ChildJvmException e) {
            throw new ExperimentException(failed + ". " + e.getMessage(), e);
        }
    }
}
