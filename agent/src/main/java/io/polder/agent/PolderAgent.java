package io.polder.agent;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.Instrumentation;

/**
 * What the JVM calls to start the agent: {@code -javaagent:polder-agent.jar=OPTIONS}, or while the
 * program runs, {@code jcmd PID JVMTI.agent_load polder-agent.jar OPTIONS}.
 *
 * <p>Options that break a rule end a start with exit code {@value #EXIT_OPTIONS} and one line on
 * standard error, before the program begins. On attach they are an {@link
 * IllegalArgumentException}, and the program goes on.
 */
public final class PolderAgent {
    /** The JVM's exit code if options break a rule. */
    static final int EXIT_OPTIONS = 2;

    private static @Nullable ActiveAgent active;

    private PolderAgent() {}

    /** Starts the agent with the JVM. */
    public static void premain(@Nullable String options, Instrumentation instrumentation) {
        try {
            start(parse(options), instrumentation, false);
        } catch (OptionException e) {
            Output.say(e.message());
            Runtime.getRuntime().halt(EXIT_OPTIONS); // nothing has run yet that has to end well
        }
    }

    /**
     * Starts the agent in a running program, or a census where it is there already.
     *
     * @throws IllegalArgumentException if options break a rule
     */
    public static void agentmain(@Nullable String options, Instrumentation instrumentation) {
        start(parse(options), instrumentation, true);
    }

    private static AgentOptions parse(@Nullable String options) {
        return OptionParser.parse(options, active() == null ? Pooling.BOTH : null);
    }

    private static synchronized @Nullable ActiveAgent active() {
        return active;
    }

    private static synchronized void start(
            AgentOptions options, Instrumentation instrumentation, boolean attached) {
        ActiveAgent agent = active;
        if (agent == null) {
            agent = ActiveAgent.start(options, instrumentation);
            active = agent; // first: whatever comes now, there is never a second one
            if (attached) {
                agent.attached();
            }
        } else {
            agent.extend(options);
        }
    }
}
