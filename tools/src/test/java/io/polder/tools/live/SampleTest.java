package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Collections;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

class SampleTest {
    @ParameterizedTest
    @CsvSource({"OFF, 0, off", "OFF, 3, 3", "SAMPLED, 0, 0", "ALL, 3, 3"})
    void leaks_areOffOnlyWhereNoneWasFound(String detection, long leaked, String shown)
            throws OpenDataException {
        CompositeData leaks = record("leaks", "detection", detection, "leaked", leaked);
        CompositeData pool = record("pool", "usedBytes", 5L, "leaks", leaks);

        Sample sample = Sample.of("pool", pool, 0);

        assertThat(sample.usedBytes()).isEqualTo(5);
        assertThat(TopTable.leaks(sample)).isEqualTo(shown);
    }

    /** As JMX says it; earlier versions of the library said it by the size of the address space. */
    @ParameterizedTest
    @CsvSource({"-1, -1, none", "140737488355328, -1, none", "8388608, 8388608, 8.0M"})
    void limit_isMinusOneWhereThereIsNone(long limit, long said, String shown)
            throws OpenDataException {
        CompositeData pool = record("pool", "committedMaxBytes", limit);

        Sample sample = Sample.of("pool", pool, 0);

        assertThat(sample.json()).containsEntry("committedMaxBytes", said);
        assertThat(TopTable.limit(sample)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"1, all pools", "2, all 2 pools"})
    void total_ofPools_saysHowMany(int count, String label) throws OpenDataException {
        Sample one = Sample.of("pool", record("pool", "usedBytes", 5L), 0);

        Sample total = Sample.total(Collections.nCopies(count, one));

        assertThat(total.label()).isEqualTo(label);
        assertThat(total.usedBytes()).isEqualTo(5L * count);
    }

    private static CompositeData record(String type, Object... namesAndValues)
            throws OpenDataException {
        int count = namesAndValues.length / 2;
        String[] names = new String[count];
        Object[] values = new Object[count];
        OpenType<?>[] types = new OpenType<?>[count];
        for (int i = 0; i < count; i++) {
            names[i] = (String) namesAndValues[2 * i];
            values[i] = namesAndValues[2 * i + 1];
            types[i] =
                    values[i] instanceof CompositeData data
                            ? data.getCompositeType()
                            : values[i] instanceof String ? SimpleType.STRING : SimpleType.LONG;
        }
        return new CompositeDataSupport(
                new CompositeType(type, type, names, names, types), names, values);
    }
}
