package io.polder.lab.confined;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

class SamplesTest {
    private static final List<Contender> BOTH = List.of(Contender.POLDER, Contender.JDK);

    private final List<Double> progress = new ArrayList<>();
    private final Samples samples = new Samples(progress::add);

    @Test
    void accept_readsWhatWasWritten() {
        samples.accept(Samples.sampleLine(Contender.JDK, 40.5));
        samples.accept(Samples.sampleLine(Contender.POLDER, 4.25));
        samples.accept(Samples.progressLine(0.5));
        samples.accept(Samples.sampleLine(Contender.POLDER, 5));
        samples.accept(Samples.sampleLine(Contender.JDK, 41));
        samples.accept(Samples.cpuLine(0.75));
        samples.accept(Samples.heapLine(1e-5));
        samples.accept(Samples.doneLine());

        assertThat(samples.isComplete(BOTH)).isTrue();
        assertThat(samples.rounds()).isEqualTo(2);
        assertThat(samples.nanos(Contender.POLDER)).containsExactly(4.25, 5);
        assertThat(samples.nanos(Contender.JDK)).containsExactly(40.5, 41);
        assertThat(samples.heapBytesPerOp()).isEqualTo(1e-5);
        assertThat(samples.cpuShare()).isEqualTo(0.75);
        assertThat(progress).containsExactly(0.5);
    }

    @Test
    void isComplete_missesWhateverIsMissing() {
        samples.accept(Samples.cpuLine(1));
        samples.accept(Samples.heapLine(0));
        samples.accept(Samples.doneLine());
        assertThat(samples.isComplete(BOTH)).isFalse();

        samples.accept(Samples.sampleLine(Contender.POLDER, 1));
        assertThat(samples.isComplete(BOTH)).isFalse();

        samples.accept(Samples.sampleLine(Contender.JDK, 1));
        assertThat(samples.isComplete(BOTH)).isTrue();

        samples.accept(Samples.sampleLine(Contender.JDK, 1));
        assertThat(samples.isComplete(BOTH)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "sample",
                "sample JDK",
                "sample JDK x",
                "sample JDK -1",
                "sample JDK NaN",
                "sample OTHER 1",
                "heap",
                "cpu much",
                "done done",
                "progress Infinity"
            })
    void accept_refusesAnythingElse(String line) {
        assertThatThrownBy(() -> samples.accept(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unexpected line: line=" + line);
    }
}
