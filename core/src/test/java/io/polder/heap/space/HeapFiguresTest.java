package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.HeapStatistics;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

class HeapFiguresTest extends HeapFixture {
    /** The text of a record: its name, and each figure's. */
    private static final Pattern FIGURE = Pattern.compile("(\\w+)=");

    @Test
    void text_hasWhatCanBeAskedForAndNoMore() {
        List<String> inText =
                FIGURE.matcher(heap().stats().toString())
                        .results()
                        .map(MatchResult::group)
                        .map(name -> name.substring(0, name.length() - 1))
                        .toList();
        assertThat(inText)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(HeapStatistics.class.getDeclaredMethods())
                                .map(Method::getName)
                                .toList());
    }
}
