package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** The fence of all threads by the JVM's handshake, where there is no other or none is wanted. */
class FenceTest {
    private static ChildJvm.Result run(String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        all.addAll(List.of(ChildJvm.NATIVE_ACCESS, "-Xlog:handshake=info"));
        return ChildJvm.program(all, FenceProgram.class);
    }

    private static long handshakes(ChildJvm.Result result) {
        return result.out().lines().filter(line -> line.contains("CloseScopedMemory")).count();
    }

    @Test
    void handshake_wanted_servesHeapsBlocksAndArenas() {
        ChildJvm.Result result = run("-Dpolder.gate.fence=handshake");
        assertThat(result.out())
                .contains("compacted true")
                .contains("trimmed true")
                .contains("left 0")
                .contains("done");
        assertThat(handshakes(result)).isPositive();
    }
}
