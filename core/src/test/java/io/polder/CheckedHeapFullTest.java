package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What is checked is handed out once, also where the Java heap ends while a block is freed. */
class CheckedHeapFullTest {

    @Test
    void free_heapIsFull_noBlockIsHandedOutTwice() {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of("-Xmx48m", "-XX:+UseSerialGC", ChildJvm.NATIVE_ACCESS),
                        CheckedHeapFullProbe.class);
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("full=true, twice=0");
    }
}
