package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.harness.InputException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A log on a pool, in this JVM. */
class ReplayTest {
    @TempDir private Path directory;

    private final MemoryPool pool = MemoryPool.builder().name("test").build();
    private final List<Sample> samples = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        pool.trim();
        assertThat(pool.stats().committedBytes()).isZero();
        pool.close();
    }

    @Test
    void run_generations_samplesPeakAndValley() throws Exception {
        Logs log = new Logs();
        for (int generation = 0; generation < 3; generation++) {
            log.born(generation).requested(generation, 100_000).after(1);
        }
        log.dies(0).after(1).dies(1).after(1).dies(2).after(1).born(7).requested(7, 1);

        long nanos = run(log);

        assertThat(nanos).isPositive();
        Sample peak = at(Mark.PEAK);
        assertThat(peak.owners()).isEqualTo(3);
        assertThat(peak.usedBytes()).isEqualTo(2_400_000);
        assertThat(peak.committedBytes()).isGreaterThanOrEqualTo(peak.usedBytes());
        Sample valley = at(Mark.VALLEY);
        assertThat(valley.owners()).isEqualTo(1);
        assertThat(valley.usedBytes()).isEqualTo(800_000);
        assertThat(valley.committedBytes()).isBetween(800_000L, peak.committedBytes() - 1);
        assertThat(at(Mark.CLOSED).committedBytes()).isZero();
        assertThat(samples.getFirst().mark()).isEqualTo(Mark.START);
        assertThat(samples.stream().filter(sample -> sample.mark() == Mark.STEP))
                .hasSize(19)
                .extracting(Sample::nanos)
                .isSorted();
    }

    @Test
    void run_moreEventsThanABatch_keepsTheirOrder() throws Exception {
        Logs log = new Logs();
        for (int i = 0; i < 20_000; i++) {
            log.born(1).requested(1, 1 + i % 64).dies(1);
        }
        log.born(2).requested(2, 100);

        run(log);

        assertThat(at(Mark.VALLEY).usedBytes()).isEqualTo(800);
        assertThat(at(Mark.VALLEY).owners()).isEqualTo(1);
    }

    @Test
    void run_nothingLeft_hasItsValleyAtThePeak() throws Exception {
        run(new Logs().born(1).requested(1, 1000).dies(1));

        assertThat(at(Mark.VALLEY).usedBytes()).isEqualTo(8000);
        assertThat(at(Mark.END).usedBytes()).isZero();
    }

    @Test
    void run_otherLogThanSurveyed_closesWhatItOpened() throws Exception {
        Survey survey = Survey.of(log(new Logs().born(1).requested(1, 1000)));
        MetaspaceLog other = log(new Logs().born(1).requested(2, 8));

        assertThatThrownBy(() -> new Replay(survey, pool, samples::add, _ -> {}).run(other))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("line 2");
    }

    @Test
    void run_logThatGrewSinceItsSurvey_endsWhereTheSurveyDid() throws Exception {
        Logs text = new Logs().born(1).requested(1, 1000);
        Survey survey = Survey.of(log(text));
        MetaspaceLog grown = log(text.requested(1, 1000).requested(1, 1000));

        new Replay(survey, pool, samples::add, _ -> {}).run(grown);

        assertThat(at(Mark.VALLEY).usedBytes()).isEqualTo(8000);
    }

    @Test
    void run_poolWithTooLittleMemory_closesWhatItOpened() throws Exception {
        // What fails is in one batch with the death of another owner, and with what comes later.
        Logs text = new Logs().born(1).requested(1, 1000).born(2).requested(2, 1 << 19);
        MetaspaceLog log = log(text.dies(1).born(3).requested(3, 1 << 20));
        Survey survey = Survey.of(log);

        try (MemoryPool small = MemoryPool.builder().committedMaxBytes(4 << 20).build()) {
            assertThatThrownBy(() -> new Replay(survey, small, samples::add, _ -> {}).run(log))
                    .isInstanceOf(OutOfMemoryError.class);
            small.trim();
            assertThat(small.stats().committedBytes()).isZero();
        }
    }

    private long run(Logs text) throws InputException, IOException {
        MetaspaceLog log = log(text);
        return new Replay(Survey.of(log), pool, samples::add, _ -> {}).run(log);
    }

    private MetaspaceLog log(Logs text) throws IOException {
        return new MetaspaceLog(
                List.of(Files.writeString(directory.resolve("x.log"), text.text())));
    }

    private Sample at(Mark mark) {
        return samples.stream().filter(sample -> sample.mark() == mark).findFirst().orElseThrow();
    }
}
