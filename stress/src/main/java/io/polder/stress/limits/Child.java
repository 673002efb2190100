package io.polder.stress.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The process under a limit: {@code Child SCENARIO}. Prints a fact on each line. */
final class Child {
    static final String NOT_SET = "the limit could not be set";

    private static final int PAGE = 64 << 10;
    private static final int PROT_NONE = 0;
    private static final int PROT_READ = 1;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022;

    private Child() {}

    /** Exit code 0 if the workload came to its end. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Scenario scenario = Scenario.valueOf(args[0]);
        List<Seccomp.Rule> refused = scenario.limit.refused();
        int left = scenario.limit.mappingsLeft();
        boolean set = refused.isEmpty() || Seccomp.refuse(refused);
        if (left > 0) {
            set &= leaveMappings(left);
        }
        if (!set) {
            System.out.println(NOT_SET);
            return;
        }
        Workload.run(scenario.fillsUp()).forEach(System.out::println);
    }

    /** Every second page of a range gets another protection, which makes two mappings each. */
    private static boolean leaveMappings(int left) throws IOException {
        long most =
                Long.parseLong(
                        Files.readAllLines(Path.of("/proc/sys/vm/max_map_count")).getFirst());
        long pairs = (most - left - mappings()) / 2;
        long range =
                SystemCalls.call(
                        SystemCalls.MMAP,
                        0,
                        2 * pairs * PAGE,
                        PROT_NONE,
                        MAP_PRIVATE_ANONYMOUS_NORESERVE,
                        -1,
                        0);
        for (long i = 0; range != -1 && i < pairs; i++) {
            long page = range + 2 * i * PAGE;
            if (SystemCalls.call(SystemCalls.MPROTECT, page, PAGE, PROT_READ, 0, 0, 0) != 0) {
                return false;
            }
        }
        return range != -1;
    }

    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.count();
        }
    }
}
