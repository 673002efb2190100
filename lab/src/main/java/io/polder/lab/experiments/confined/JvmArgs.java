package io.polder.lab.experiments.confined;

import io.polder.bench.ForeignCalls;
import io.polder.bench.JvmFlags;

import org.openjdk.jmh.runner.CompilerHints;

import java.util.ArrayList;
import java.util.List;

/**
 * Arguments of the measuring JVMs: what JMH would give to a fork, and what the contenders need.
 *
 * <p>JMH's hints to the compiler keep the measured loop out of its caller, put the measured method
 * into the loop, and make the compiler treat results as used. Without them a run inside the JVM
 * that was started by hand would measure something else than a forked run.
 */
final class JvmArgs {
    private static final String HINTS_FILE = "-XX:CompileCommandFile=";

    private JvmArgs() {}

    /** Arguments that all workloads share; writes JMH's hints to a file that lives as this JVM. */
    static List<String> common(long seed) {
        List<String> args = new ArrayList<>();
        args.add(JvmFlags.NATIVE_ACCESS);
        args.add(JvmFlags.UNSAFE_ACCESS);
        args.add("-D" + ForeignCalls.SEED_PROPERTY + "=" + seed);
        // Two labs at once measure badly, but each in its own JVMs: not for JMH to refuse.
        args.add("-Djmh.ignoreLock=true");
        CompilerHints.addCompilerHints(args);
        return args;
    }

    /** The arguments as a result keeps them, without a file name that changes with every run. */
    static List<String> recorded(List<String> args) {
        return args.stream()
                .map(arg -> arg.startsWith(HINTS_FILE) ? HINTS_FILE + "(of JMH)" : arg)
                .toList();
    }
}
