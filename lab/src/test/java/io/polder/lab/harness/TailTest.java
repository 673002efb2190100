package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.StringReader;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class TailTest {
    @Test
    void text_isTheLastHundredLines() {
        String all =
                IntStream.range(0, 250)
                        .mapToObj(i -> "line " + i)
                        .collect(Collectors.joining("\n"));
        Tail tail = new Tail();
        tail.readAll(new BufferedReader(new StringReader(all)));

        assertThat(tail.text()).startsWith("line 150\n").endsWith("\nline 249");
        assertThat(tail.text().lines()).hasSize(100);
    }

    @Test
    void text_ofNothing_isEmpty() {
        assertThat(new Tail().text()).isEmpty();
    }
}
