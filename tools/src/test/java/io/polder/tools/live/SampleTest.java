package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.OpenDataException;

class SampleTest {
    @ParameterizedTest
    @CsvSource({"OFF, 0, off", "OFF, 3, 3", "SAMPLED, 0, 0", "ALL, 3, 3"})
    void leaks_areOffOnlyWhereNoneWasFound(String detection, long leaked, String shown)
            throws OpenDataException {
        CompositeData leaks =
                FlatUsageTest.record("leaks", "detection", detection, "leaked", leaked);
        CompositeData pool = FlatUsageTest.record("pool", "usedBytes", 5L, "leaks", leaks);

        Sample sample = Sample.of("pool", pool, 0);

        assertThat(sample.usedBytes()).isEqualTo(5);
        assertThat(TopTable.leaks(sample)).isEqualTo(shown);
    }
}
