package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Map;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

class FlatUsageTest {

    @Test
    void of_usageOfThePoolAndOfItsPages_standsBesideTheOtherFigures() throws OpenDataException {
        CompositeData pages = record("pages", "usage", usage(3), "waiting", 2L);
        CompositeData pool = record("pool", "usage", usage(7), "usedBytes", 5L, "pages", pages);

        CompositeData flat = FlatUsage.of(pool);

        assertThat(OpenData.map(flat))
                .isEqualTo(
                        Map.of(
                                "committedBytes",
                                7L,
                                "usedBytes",
                                5L,
                                "pages",
                                Map.of("committedBytes", 3L, "waiting", 2L)));
        assertThat(OpenData.number(flat, "pages", "committedBytes")).isEqualTo(3);
    }

    @Test
    void of_noUsage_isTheSame() throws OpenDataException {
        CompositeData early = record("pool", "committedBytes", 7L, "usedBytes", 5L);
        assertThat(OpenData.map(FlatUsage.of(early))).isEqualTo(OpenData.map(early));
    }

    private static CompositeData usage(long committedBytes) throws OpenDataException {
        return record("usage", "committedBytes", committedBytes);
    }

    static CompositeData record(String type, Object... namesAndValues) throws OpenDataException {
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
