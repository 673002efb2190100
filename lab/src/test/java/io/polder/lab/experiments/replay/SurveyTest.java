package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.InputException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Peak and valley of small logs. */
class SurveyTest {
    @TempDir private Path directory;

    @Test
    void survey_generations_haveTheirValleyBeforeTheLastOneDies() throws Exception {
        Survey survey =
                survey(
                        two().born(3)
                                .requested(3, 30)
                                .born(4)
                                .requested(4, 40)
                                .after(1)
                                .dies(2)
                                .after(1)
                                .dies(3)
                                .after(1)
                                .requested(1, 1)
                                .after(1)
                                .dies(4)
                                .after(1)
                                .requested(1, 1));

        assertThat(survey.events()).isEqualTo(13);
        assertThat(survey.requests()).isEqualTo(6);
        assertThat(survey.births()).isEqualTo(4);
        assertThat(survey.deaths()).isEqualTo(3);
        assertThat(survey.ownersMax()).isEqualTo(4);
        assertThat(survey.lastNanos() - survey.firstNanos()).isEqualTo(5_000_000_000L);
        assertThat(survey.peak()).isEqualTo(8);
        // After the second death, before the request that follows it.
        assertThat(survey.valley()).isEqualTo(10);
    }

    @Test
    void survey_deathsAtOneTime_areOneWave() throws Exception {
        Survey survey =
                survey(
                        two().born(3)
                                .requested(3, 30)
                                .after(1)
                                .dies(2)
                                .after(0.05)
                                .requested(1, 5)
                                .after(0.05)
                                .dies(3)
                                .after(1)
                                .requested(1, 5));

        // Nobody of the workload lives at the end of the only wave: the end of the log.
        assertThat(survey.valley()).isEqualTo(survey.events());
    }

    @Test
    void survey_ownerBornAfterTheWave_doesNotMakeItTheValley() throws Exception {
        Survey survey =
                survey(
                        two().after(1)
                                .dies(2)
                                .after(1)
                                .born(3)
                                .requested(3, 1)
                                .after(1)
                                .dies(3)
                                .after(1)
                                .requested(1, 1));

        assertThat(survey.valley()).isEqualTo(survey.events());
    }

    @Test
    void survey_newPeak_forgetsEarlierValleys() throws Exception {
        Survey survey =
                survey(
                        new Logs()
                                .born(1)
                                .requested(1, 1)
                                .born(2)
                                .requested(2, 20)
                                .after(1)
                                .dies(2)
                                .after(1)
                                .born(3)
                                .requested(3, 100)
                                .after(1)
                                .dies(1)
                                .after(1)
                                .requested(3, 1)
                                .after(1)
                                .dies(3));

        assertThat(survey.peak()).isEqualTo(7);
        // The first wave ended with less, but before the peak.
        assertThat(survey.valley()).isEqualTo(8);
    }

    @Test
    void survey_nothingLeft_hasItsValleyAtThePeak() throws Exception {
        Survey survey = survey(new Logs().born(1).requested(1, 10).dies(1));

        assertThat(survey.peak()).isEqualTo(2);
        assertThat(survey.valley()).isEqualTo(2);
    }

    @Test
    void survey_nothingDies_hasItsValleyAtTheEnd() throws Exception {
        Survey survey = survey(new Logs().born(1).requested(1, 10).born(2));

        assertThat(survey.peak()).isEqualTo(2);
        assertThat(survey.valley()).isEqualTo(3);
    }

    @Test
    void survey_addressUsedAgain_isAnotherOwner() throws Exception {
        Survey survey = survey(new Logs().born(1).requested(1, 9).dies(1).born(1).requested(1, 3));

        assertThat(survey.births()).isEqualTo(2);
        assertThat(survey.ownersMax()).isEqualTo(1);
        assertThat(survey.peak()).isEqualTo(2);
    }

    @Test
    void survey_bornTwice_isRefused() {
        assertThatThrownBy(() -> survey(new Logs().born(1).born(1)))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log, line 2: an arena dies before another is born");
    }

    @Test
    void survey_strangerDies_isRefused() {
        assertThatThrownBy(() -> survey(new Logs().born(1).dies(2)))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("x.log, line 2: an arena is born before it requests or dies");
    }

    @Test
    void survey_nothingRequested_isRefused() {
        assertThatThrownBy(() -> survey(new Logs().born(1).dies(1)))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("expected an arena to request something");
    }

    /** Two owners with their requests. */
    private static Logs two() {
        return new Logs().born(1).requested(1, 10).born(2).requested(2, 20);
    }

    private Survey survey(Logs log) throws InputException, IOException {
        Path file = Files.writeString(directory.resolve("x.log"), log.text());
        return Survey.of(new MetaspaceLog(List.of(file)));
    }
}
