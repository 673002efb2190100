package io.polder.agent;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.Instrumentation;

/**
 * What the JVM calls, of whatever version it is: this class alone is compiled for older ones, so
 * that it can say that the agent needs a newer one. The JVM would abort, and write a core file,
 * after a stack trace that speaks of class file versions.
 */
public final class AgentEntry {
    private static final int JAVA_NEEDED = 25;

    private AgentEntry() {}

    /** Starts the agent with the JVM, or ends that, since it is too old. */
    public static void premain(@Nullable String options, Instrumentation instrumentation) {
        if (isTooOld()) {
            Runtime.getRuntime().halt(2); // as for options that break a rule
        }
        PolderAgent.premain(options, instrumentation);
    }

    /** Starts the agent in a running program, or lets that go on without it. */
    public static void agentmain(@Nullable String options, Instrumentation instrumentation) {
        if (!isTooOld()) {
            PolderAgent.agentmain(options, instrumentation);
        }
    }

    private static boolean isTooOld() {
        if (Runtime.version().feature() >= JAVA_NEEDED) {
            return false;
        }
        System.err.println(
                "polder-agent: Java must be "
                        + JAVA_NEEDED
                        + " or newer: java="
                        + System.getProperty("java.version"));
        return true;
    }
}
