package io.polder.tools.attach;

import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.terminal.JsonOption;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code polder census PID}: counts the arenas of a JVM that runs, for some time. The JVM is then
 * as it was before.
 */
@Command(
        name = "census",
        description = "Counts the arenas of a running JVM: how large, how long, where, how many.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the census is printed",
            "1:it could not be taken",
            "2:the command line is wrong",
            "5:it could not be written",
            "10:there is no such process",
            "11:the process is no JVM",
            "12:it belongs to another user, for root as well, or cannot be looked into",
            "13:it was told to take no agent",
            "14:its Java is older than 25",
            "15:it, or the agent in it, refuses",
            "16:it ended, and wrote no census",
            "18:it does not answer in time"
        })
public final class CensusCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FAILURE = 1;
    private static final String TEXT = "census.txt";
    private static final String JSON = "census.json";

    private static final long POLL_MILLIS = 50;
    private static final int SECONDS_MAX = 86_400;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private ProcessOptions process = new ProcessOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long arenas are counted (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        Patience patience = process.patience(spec);
        if (seconds < 1 || seconds > SECONDS_MAX) {
            throw usage("--seconds must be from 1 to " + SECONDS_MAX + ": " + seconds);
        }
        json.check(spec);
        PrintWriter err = spec.commandLine().getErr();
        try (Target target = Target.attach(patience);
                Exchange exchange = Exchange.with(target)) {
            take(target, exchange, patience);
            return OK;
        } catch (AttachException e) {
            err.println("polder: " + e.getMessage());
            return e.problem().exitCode();
        } catch (UnwrittenException e) {
            err.println("polder: " + e.getMessage());
            return UnwrittenException.EXIT_CODE;
        } catch (IOException e) {
            err.println("polder: the census could not be taken: " + e);
            return FAILURE;
        }
    }

    private void take(Target target, Exchange exchange, Patience patience)
            throws AttachException, IOException, InterruptedException, UnwrittenException {
        if (!exchange.isNameable()) {
            throw new IOException("a comma or semicolon is in " + exchange.there());
        }
        String options =
                "pool=unchanged,census="
                        + exchange.there().resolve(TEXT)
                        + ",census.json="
                        + exchange.there().resolve(JSON)
                        + ",census.seconds="
                        + seconds;
        target.loadAgent(exchange.visible(AgentJar.find()), options);
        PrintWriter err = spec.commandLine().getErr();
        err.println("Counting arenas of process " + target.pid() + " for " + seconds + " s ...");
        err.flush();
        await(target, exchange, patience);
        PrintWriter out = spec.commandLine().getOut();
        if (!json.isPrinted()) {
            out.print(Printable.lines(read(exchange, TEXT)));
            out.flush();
        }
        if (json.isGiven()) {
            json.write(read(exchange, JSON), out);
        }
    }

    private static String read(Exchange exchange, String name) throws IOException {
        try (InputStream in = exchange.open(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Waits for the text, which comes last. A JVM that ends writes it as well, and one that is
     * stopped counts nothing meanwhile.
     */
    private void await(Target target, Exchange exchange, Patience patience)
            throws AttachException, InterruptedException {
        long patienceNanos = TimeUnit.SECONDS.toNanos(patience.seconds());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds) + patienceNanos;
        long wentOn = System.nanoTime();
        while (!exchange.has(TEXT)) {
            boolean ended = target.ended();
            if (ended && !exchange.has(TEXT)) {
                throw new AttachException(
                        Problem.GONE, "process " + target.pid() + " ended without a census");
            }
            long now = System.nanoTime();
            wentOn = JvmProcess.isStopped(target.pid()) ? wentOn : now;
            if (now - wentOn > patienceNanos) {
                throw patience.silent();
            } else if (now - deadline > 0) {
                throw new AttachException(
                        Problem.SILENT,
                        "process "
                                + target.pid()
                                + " has written no census to "
                                + Printable.of(exchange.there().toString())
                                + " in time; it may be too busy, see --timeout, or its disk is"
                                + " full: then its standard error says so");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
