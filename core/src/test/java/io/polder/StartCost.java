package io.polder;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What the first arena of a process costs, by hand: starts JVMs in turns, and prints the median of
 * the time in {@code main} and the mean of the CPU time of the process, of all its threads.
 *
 * <pre>
 *   java --enable-native-access=ALL-UNNAMED -cp core/target/classes:core/target/test-classes
 *       io.polder.StartCost [rounds [options of the JVMs]]
 * </pre>
 */
final class StartCost {
    /** What a process does: nothing, one arena of either kind, or one when there is a pool. */
    private static final String[] WAYS = {"nothing", "jdk", "first", "pool"};

    private static final int ROUNDS_DEFAULT = 20;

    /** Of the times in {@code /proc}: Linux counts in these, whatever it measures in. */
    private static final double TICK_MILLIS = 10;

    private StartCost() {}

    /** Measures, or is measured. */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length == 2 && args[0].equals("one")) {
            open(args[1]);
            return;
        }
        int rounds = args.length == 0 ? ROUNDS_DEFAULT : Integer.parseInt(args[0]);
        List<String> all = List.of(args);
        List<String> options = all.isEmpty() ? all : all.subList(1, all.size());
        double[][] millis = new double[WAYS.length][rounds];
        double[] cpuTicks = new double[WAYS.length];
        for (int round = 0; round < rounds; round++) {
            for (int way = 0; way < WAYS.length; way++) {
                long before = ticksOfChildren();
                millis[way][round] = run(WAYS[way], options);
                cpuTicks[way] += ticksOfChildren() - before;
            }
        }
        for (int way = 0; way < WAYS.length; way++) {
            Arrays.sort(millis[way]);
            System.out.printf(
                    "%-8s main %6.1f ms   CPU %6.1f ms%n",
                    WAYS[way], millis[way][rounds / 2], cpuTicks[way] * TICK_MILLIS / rounds);
        }
    }

    private static void open(String way) {
        long start = System.nanoTime();
        if (!way.equals("nothing")) {
            if (way.equals("pool")) {
                MemoryPool.common();
            }
            try (Arena arena = way.equals("jdk") ? Arena.ofConfined() : MemoryPool.ofConfined()) {
                arena.allocate(100);
            }
        }
        System.out.println(System.nanoTime() - start);
    }

    private static double run(String way, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(StartCost.class.getName(), "one", way));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        process.waitFor();
        return Long.parseLong(out) / 1e6;
    }

    /** User and system time of children that have ended: fields 16 and 17 of the line. */
    private static long ticksOfChildren() throws IOException {
        String line = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
    }
}
