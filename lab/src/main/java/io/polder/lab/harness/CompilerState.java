package io.polder.lab.harness;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Asks the JVM whether the measured code is compiled: {@code jcmd Compiler.codelist} and {@code
 * Compiler.queue}, from inside.
 *
 * <p>A warm-up of fixed length is not enough. On a busy machine compilation may take longer than
 * it, and code may lose its compiled form again when an assumption of the compiler turns out wrong;
 * what is measured meanwhile is the interpreter or the first of the two compilers.
 */
public final class CompilerState {
    /** The loops and all of Polder; whatever they call is compiled into them. */
    private static final String MEASURED_CODE = "io.polder.";

    private static final String DIAGNOSTIC_COMMANDS = "com.sun.management:type=DiagnosticCommand";
    private static final String CODE = "compilerCodelist";
    private static final String QUEUE = "compilerQueue";

    private static final Duration POLL = Duration.ofMillis(10);

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final List<Pattern> codes;

    /**
     * Creates the question: are all of these compiled?
     *
     * @param methods patterns of a method's name with its class and of what stands before it, up to
     *     its parameters; where an operation is long there need not be any
     */
    public CompilerState(List<String> methods) {
        codes =
                methods.stream()
                        // Number, level (4: the optimising compiler), state (0: in use), method.
                        .map(each -> Pattern.compile("(?m)^\\d+ +4 +0 .*\\.(" + each + ")\\("))
                        .toList();
    }

    /**
     * Whether each is compiled by the optimising compiler, and none is being compiled again.
     * True if the JVM does not tell.
     */
    public boolean isDone() {
        try {
            String code = ask(CODE);
            return !ask(QUEUE).contains(MEASURED_CODE)
                    && codes.stream().allMatch(each -> each.matcher(code).find());
        } catch (JMException e) {
            return true;
        }
    }

    /** Waits until nothing is being compiled, or for so long. */
    public void awaitIdle(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        try {
            while (ask(QUEUE).contains(MEASURED_CODE) && System.nanoTime() < end) {
                Thread.sleep(POLL);
            }
        } catch (JMException e) {
            // The JVM does not tell.
        }
    }

    private String ask(String question) throws JMException {
        Object answer =
                server.invoke(
                        new ObjectName(DIAGNOSTIC_COMMANDS),
                        question,
                        new Object[0],
                        new String[0]);
        return String.valueOf(answer);
    }
}
