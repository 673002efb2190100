package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** A program that runs until its input ends, as {@link Programs#LASTING}, and is attached to. */
final class LastingProgram implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 300;

    private final Program.Started run;
    private final OutputStream input;
    private int lines;

    /** Starts it without the agent. */
    LastingProgram(Path directory, String... arguments) throws Exception {
        run =
                new Program(directory)
                        .start(List.of("-XX:+EnableDynamicAgentLoading"), "none", arguments);
        input = run.process().getOutputStream();
        assertThat(nextLine()).isEqualTo("begun");
    }

    long pid() {
        return run.process().pid();
    }

    /**
     * Loads the agent, or has it do more.
     *
     * @throws IllegalArgumentException if the agent refuses; says why
     */
    void attach(String options) throws Exception {
        attach(Program.AGENT, options);
    }

    /** The same from a copy of the agent's jar. */
    void attach(Path jar, String options) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(pid()));
        try {
            machine.loadAgent(jar.toString(), options);
            String refusal = machine.getSystemProperties().getProperty(PolderAgent.REFUSAL);
            if (refusal != null) {
                throw new IllegalArgumentException(refusal);
            }
        } finally {
            machine.detach();
        }
    }

    /** Loads the agent, and does not ask whether it refused. */
    void load(String options) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(pid()));
        try {
            machine.loadAgent(Program.AGENT.toString(), options);
        } finally {
            machine.detach();
        }
    }

    /** The system properties of the program. */
    Properties properties() throws Exception {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(pid()));
        try {
            return machine.getSystemProperties();
        } finally {
            machine.detach();
        }
    }

    /** Makes the program open an arena of 20 bytes, and returns its kind. */
    String open() throws Exception {
        input.write('x');
        input.flush();
        return nextLine();
    }

    /** Makes the program open arenas until they are of this kind. */
    void awaitKind(String kind) throws Exception {
        long deadline = deadline();
        while (!open().equals(kind)) {
            assertThat(System.nanoTime()).as("no %s", kind).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Waits for a file, which is there whole. */
    static void awaitFile(Path file) throws Exception {
        long deadline = deadline();
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("no %s", file).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    Program.Result end() throws Exception {
        input.close();
        return Program.finish(run);
    }

    @Override
    public void close() {
        run.process().destroyForcibly();
    }

    private static long deadline() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    }

    private String nextLine() throws Exception {
        long deadline = deadline();
        while (System.nanoTime() < deadline) {
            List<String> all = completeLines();
            if (all.size() > lines) {
                return all.get(lines++);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        throw new AssertionError("no line: " + Files.readString(run.errors()));
    }

    private List<String> completeLines() throws IOException {
        String text = Files.readString(run.output());
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }
}
