package io.polder.agent;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.Instrumentation;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Starts the agent: {@code -javaagent:polder-agent.jar=OPTIONS}, or while the program runs, by
 * {@code jcmd} or what else attaches. The JVM calls it through {@link AgentEntry}.
 *
 * <p>Options that break a rule end a start with exit code {@value #EXIT_OPTIONS} and one line on
 * standard error, before the program begins. On attach they are the same line, and system property
 * {@value #REFUSAL}; the program goes on. Nothing is thrown then: the JVM would write a stack trace
 * and failed assertions of its own to the program's standard error.
 *
 * <pre>
 *   polder.agent.refusal            of the attach that ended last
 *   polder.agent.refusal.OPTIONS    of the last attach with these options
 * </pre>
 *
 * <p>Who attaches reads a property some time later, and others may have attached meanwhile. So
 * those who take part with others give options that nobody else gives, and read the second one.
 */
final class PolderAgent {
    /** The JVM's exit code if options break a rule. */
    static final int EXIT_OPTIONS = 2;

    /**
     * The system property of the program that says why the last attach was refused; it is not set
     * if that was not. A process that attaches can read it.
     */
    static final String REFUSAL = "polder.agent.refusal";

    /** How many refusals are kept by their options. Guessed: far more than attach at a time. */
    static final int REFUSALS_MAX = 16;

    /** The properties of refusals by their options, the oldest first. */
    private static final Deque<String> REFUSALS = new ArrayDeque<>();

    private static @Nullable ActiveAgent active;

    private PolderAgent() {}

    /** Starts the agent with the JVM. */
    static void premain(@Nullable String options, Instrumentation instrumentation) {
        try {
            start(parse(options), instrumentation, false);
        } catch (OptionException e) {
            Output.say(e.message());
            Runtime.getRuntime().halt(EXIT_OPTIONS); // nothing has run yet that has to end well
        }
    }

    /**
     * Starts the agent in a running program, or a census where it is there already. The JVM has one
     * thread for that, so the property is of the attach that ended last.
     */
    static void agentmain(@Nullable String options, Instrumentation instrumentation) {
        System.clearProperty(REFUSAL);
        forget(options);
        try {
            start(parse(options), instrumentation, true);
        } catch (OptionException e) {
            System.setProperty(REFUSAL, e.message());
            remember(options, e.message());
            Output.say(e.message());
        }
    }

    /** The property that says why an attach with these options was refused. */
    static String refusalOf(@Nullable String options) {
        return REFUSAL + "." + (options == null ? "" : options);
    }

    private static synchronized void forget(@Nullable String options) {
        String property = refusalOf(options);
        if (REFUSALS.remove(property)) {
            System.clearProperty(property);
        }
    }

    private static synchronized void remember(@Nullable String options, String why) {
        String property = refusalOf(options);
        if (REFUSALS.size() == REFUSALS_MAX) {
            System.clearProperty(REFUSALS.removeFirst());
        }
        REFUSALS.addLast(property);
        System.setProperty(property, why);
    }

    private static AgentOptions parse(@Nullable String options) {
        return OptionParser.parse(options, active() == null ? Pooling.CONFINED : null);
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
            try {
                if (attached) {
                    agent.attached();
                }
            } finally {
                agent.endInTime(options.census());
            }
        } else {
            agent.extend(options);
        }
    }
}
