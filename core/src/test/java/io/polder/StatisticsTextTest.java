package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.HeapStatistics;
import io.polder.page.PageStatistics;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Each name in the text of statistics can be asked for, and all that can be asked for is there. */
class StatisticsTextTest {
    static Stream<Class<?>> statistics() {
        return Stream.of(PoolStatistics.class, PageStatistics.class, HeapStatistics.class)
                .flatMap(type -> Stream.concat(Stream.of(type), Arrays.stream(type.getClasses())));
    }

    private static List<String> names(Class<?> statistics) {
        return Arrays.stream(statistics.getDeclaredMethods()).map(Method::getName).toList();
    }

    @ParameterizedTest
    @MethodSource("statistics")
    void record_ofStatistics_hasWhatTheySayAndNoMore(Class<?> type) {
        for (Class<?> figures : type.getPermittedSubclasses()) {
            RecordComponent[] components = figures.getRecordComponents();
            assertThat(Arrays.stream(components).map(RecordComponent::getName))
                    .as("%s", figures)
                    .containsExactlyInAnyOrderElementsOf(names(type));
        }
    }

    /** The text is that of the records. */
    @Test
    void text_ofAPool_namesWhatItsRecordsHave() {
        try (MemoryPool pool = MemoryPool.builder().name("told").build();
                var _ = pool.openHeap()) {
            PoolStatistics stats = pool.stats();
            assertTextHas(stats, PoolStatistics.class);
            assertTextHas(stats.pages(), PageStatistics.class);
            assertTextHas(stats.heaps().getFirst(), HeapStatistics.class);
        }
    }

    private static void assertTextHas(Object figures, Class<?> type) {
        List<String> found = new ArrayList<>();
        int depth = 0;
        StringBuilder name = new StringBuilder();
        for (char c : figures.toString().toCharArray()) {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (depth == 1 && c == '=') {
                found.add(name.toString());
            }
            boolean goesOn = depth == 1 && Character.isJavaIdentifierPart(c);
            name.setLength(goesOn ? name.length() : 0);
            name.append(goesOn ? String.valueOf(c) : "");
        }
        assertThat(found).as("%s", figures).containsExactlyInAnyOrderElementsOf(names(type));
    }
}
