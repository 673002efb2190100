package io.polder.tools.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.util.List;

class RawWordsTest {
    private static final List<byte[]> GIVEN =
            RawWords.split("java\0-cp\0x\0run\0\0\u00e4\0".getBytes(ISO_8859_1));

    @Test
    void split_wordsWithZeros_areAllThereAlsoEmptyOnes() {
        assertThat(GIVEN).hasSize(6);
        assertThat(GIVEN.get(4)).isEmpty();
        assertThat(GIVEN.get(5)).containsExactly(0xe4);
    }

    @Test
    void tail_sameArguments_isThere() {
        List<byte[]> tail = RawWords.tail(GIVEN, List.of("run", "", "?"));
        assertThat(tail).isEqualTo(GIVEN.subList(3, 6));
    }

    @Test
    void tail_otherArguments_isNot() {
        assertThat(RawWords.tail(GIVEN, List.of("run", "a", "?"))).isNull();
        assertThat(RawWords.tail(GIVEN, List.of("1", "2", "3", "4", "5", "6", "7"))).isNull();
    }

    @Test
    void last_given_isByteForByteWhatCame() throws Exception {
        RawWords words = new RawWords(US_ASCII, GIVEN);
        assertThat(words.last(List.of("", "?"))).isEqualTo(GIVEN.subList(4, 6));
    }

    @Test
    void last_notGiven_isEncodedOrRefused() throws Exception {
        assertThat(new RawWords(UTF_8, null).last(List.of("\u00e4")).getFirst())
                .isEqualTo("\u00e4".getBytes(UTF_8));
        assertThatThrownBy(() -> new RawWords(US_ASCII, null).last(List.of("\u00e4")))
                .isInstanceOf(JavaLauncher.Refused.class)
                .hasMessageContaining("encoding of the locale, US-ASCII")
                .hasMessageContaining("word=\u00e4");
    }

    @Test
    void checkBefore_lostWord_isRefusedUnlessItIsOneOfTheLast() throws Exception {
        RawWords words = new RawWords(US_ASCII, GIVEN);
        words.checkBefore(1);
        assertThatThrownBy(() -> words.checkBefore(0)).isInstanceOf(JavaLauncher.Refused.class);
        new RawWords(ISO_8859_1, GIVEN).checkBefore(0);
        assertThatThrownBy(() -> new RawWords(UTF_8, GIVEN).checkBefore(0))
                .isInstanceOf(JavaLauncher.Refused.class);
    }
}
