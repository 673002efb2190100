package example;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * What the agent adds to the start of a program, by hand: starts JVMs in turns, and prints the
 * medians of time and of CPU time of all threads. {@code docs/agent.md} says how to run it.
 */
public final class AgentStartCost {
    private static final int ROUNDS_DEFAULT = 20;
    private static final String[] AGENTS = {"none", "idle", "polder"};
    private static final int[] ARENAS = {0, 1, 100};

    /** User and system time of children, in the line of {@code /proc/self/stat}. */
    private static final int USER_FIELD = 13;

    /** Linux counts them in these, of 10 ms: too coarse for one child, and not for a sum. */
    private static final double TICK_MILLIS = 10;

    private AgentStartCost() {}

    /** An agent that does nothing: what the JVM itself takes. */
    public static final class Idle {
        private Idle() {}

        /** Does nothing. */
        public static void premain(String options, Instrumentation instrumentation) {}
    }

    /** Measures, or is measured: {@code [rounds]} or {@code run ARENAS}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 2) {
            open(Integer.parseInt(arguments[1]));
            return;
        }
        int rounds = arguments.length == 0 ? ROUNDS_DEFAULT : Integer.parseInt(arguments[0]);
        Path idle = Files.createTempFile("idle", ".jar");
        writeIdle(idle);
        int ways = AGENTS.length * ARENAS.length;
        double[][] millis = new double[ways][rounds];
        double[] ticks = new double[ways];
        for (int round = 0; round < rounds; round++) {
            for (int way = 0; way < ways; way++) {
                long before = ticksOfChildren();
                long start = System.nanoTime();
                run(AGENTS[way % AGENTS.length], ARENAS[way / AGENTS.length], idle);
                millis[way][round] = (System.nanoTime() - start) / 1e6;
                ticks[way] += ticksOfChildren() - before;
            }
        }
        Files.delete(idle);
        for (int way = 0; way < ways; way++) {
            Arrays.sort(millis[way]);
            System.out.printf(
                    Locale.ROOT,
                    "%3d arenas, agent %-6s  median %6.1f ms   mean CPU %6.1f ms%n",
                    ARENAS[way / AGENTS.length],
                    AGENTS[way % AGENTS.length],
                    millis[way][rounds / 2],
                    ticks[way] * TICK_MILLIS / rounds);
        }
    }

    private static void open(int arenas) {
        for (int i = 0; i < arenas; i++) {
            try (Arena arena = Arena.ofConfined()) {
                arena.allocate(100);
            }
        }
        System.out.println("opened");
    }

    private static void writeIdle(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", Idle.class.getName());
        attributes.putValue("Can-Retransform-Classes", "true");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.finish();
        }
    }

    private static void run(String agent, int arenas, Path idle)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        switch (agent) {
            case "idle" -> command.add("-javaagent:" + idle);
            case "polder" -> command.add("-javaagent:" + System.getProperty("polder.agent.jar"));
            default -> {}
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(AgentStartCost.class.getName(), "run", Integer.toString(arenas)));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] _ = process.getInputStream().readAllBytes();
        if (process.waitFor() != 0) {
            throw new IOException("a JVM failed: " + command);
        }
    }

    private static long ticksOfChildren() throws IOException {
        String line = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[USER_FIELD + 1]);
    }
}
