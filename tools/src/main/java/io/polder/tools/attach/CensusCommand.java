package io.polder.tools.attach;

import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.terminal.JsonOption;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
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
            "12:it belongs to another user; so to root as well",
            "13:it was told to take no agent",
            "14:its Java is older than 25",
            "15:it, or the agent in it, refuses",
            "16:it ended, and wrote no census"
        })
public final class CensusCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FAILURE = 1;
    private static final String TEXT = "census.txt";
    private static final String JSON = "census.json";

    /** How long the other JVM may take to write, after the census. */
    private static final int GRACE_SECONDS = 60;

    private static final long POLL_MILLIS = 50;
    private static final int SECONDS_MAX = 86_400;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "PID", arity = "0..1", description = "The process.")
    private @Nullable Long pid;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long arenas are counted (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        Long process = pid;
        if (process == null) {
            throw usage("name the process to look at" + Target.running());
        }
        if (seconds < 1 || seconds > SECONDS_MAX) {
            throw usage("--seconds must be from 1 to " + SECONDS_MAX + ": " + seconds);
        }
        json.check(spec);
        PrintWriter err = spec.commandLine().getErr();
        try (Target target = Target.attach(process);
                Exchange exchange = Exchange.with(target)) {
            take(target, exchange);
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

    private void take(Target target, Exchange exchange)
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
        await(target, exchange);
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

    /** Waits for the text, which comes last. A JVM that ends writes it as well. */
    private void await(Target target, Exchange exchange)
            throws AttachException, IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds + GRACE_SECONDS);
        while (!exchange.has(TEXT)) {
            boolean ended = target.ended();
            if (ended && !exchange.has(TEXT)) {
                throw new AttachException(
                        Problem.GONE, "process " + target.pid() + " ended without a census");
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("process " + target.pid() + " wrote nothing");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
