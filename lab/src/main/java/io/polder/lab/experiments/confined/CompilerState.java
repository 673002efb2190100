package io.polder.lab.experiments.confined;

import java.lang.management.ManagementFactory;
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
final class CompilerState {
    /** The loops that JMH generates and all of Polder; whatever they call is compiled into them. */
    private static final String MEASURED_CODE = "io.polder.";

    private static final String DIAGNOSTIC_COMMANDS = "com.sun.management:type=DiagnosticCommand";
    private static final String CODE = "compilerCodelist";
    private static final String QUEUE = "compilerQueue";

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final List<Pattern> codes;

    /**
     * Creates the question for a workload: are the loops of all its contenders compiled? Where an
     * operation is long the operation alone will do, and where it is huge that need not be, either.
     */
    CompilerState(Workload workload) {
        codes =
                workload.isHuge()
                        ? List.of()
                        : workload.contenders().stream()
                                .map(who -> inCodeList(workload, who))
                                .toList();
    }

    /**
     * Whether each is compiled by the optimising compiler, and none is being compiled again.
     * True if the JVM does not tell.
     */
    boolean isSettled() {
        try {
            String code = ask(CODE);
            return !ask(QUEUE).contains(MEASURED_CODE)
                    && codes.stream().allMatch(each -> each.matcher(code).find());
        } catch (JMException e) {
            return true;
        }
    }

    /** A line is: number, level (4 is the optimising compiler), state (0 is in use), method. */
    private static Pattern inCodeList(Workload workload, Contender contender) {
        String type = Pattern.quote(workload.benchmark().getSimpleName());
        String method = Pattern.quote(contender.methodPrefix() + workload.methodSuffix());
        String loop = type + "_" + method + "_jmhTest\\." + method + "_avgt_jmhStub";
        String alone = workload.isLong() ? "|" + type + "\\." + method : "";
        return Pattern.compile("(?m)^\\d+ +4 +0 .*\\.(" + loop + alone + ")\\(");
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
