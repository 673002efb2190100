package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.agent.AgentOptions.CensusOptions;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

class OptionParserTest {
    @ParameterizedTest
    @NullAndEmptySource
    void parse_nothing_poolsAndCountsNothing(@Nullable String text) {
        AgentOptions options = OptionParser.parse(text, Pooling.BOTH);
        assertThat(options.pooling()).isEqualTo(Pooling.BOTH);
        assertThat(options.census()).isNull();
        assertThat(options.report()).isNull();
        assertThat(options.filter().isOpen()).isTrue();
    }

    @Test
    void parse_poolUnsaidOrUnchanged_isWhatIsPooledNow() {
        assertThat(OptionParser.parse("pool=unchanged", Pooling.BOTH).pooling()).isNull();
        assertThat(OptionParser.parse("census", null).pooling()).isNull();
        assertThat(OptionParser.parse("pool=off", null).pooling()).isEqualTo(Pooling.OFF);
    }

    @Test
    void parse_all_areUnderstood() {
        AgentOptions options =
                OptionParser.parse(
                        "pool=off;include=a.*:b.**,exclude=a.C,census,census.json=c.json,"
                                + "census.seconds=5,census.sites=10,report=r-%p.txt",
                        Pooling.BOTH);
        assertThat(options.pooling()).isEqualTo(Pooling.OFF);
        assertThat(options.filter().include()).hasSize(2);
        assertThat(options.filter().exclude()).hasSize(1);
        CensusOptions census = Objects.requireNonNull(options.census());
        assertThat(Objects.requireNonNull(census.text()).isStandardError()).isTrue();
        assertThat(Objects.requireNonNull(census.json()).file()).isEqualTo("c.json");
        assertThat(census.seconds()).isEqualTo(5);
        assertThat(census.sites()).isEqualTo(10);
        assertThat(Objects.requireNonNull(options.report()).path().toString())
                .endsWith("r-" + ProcessHandle.current().pid() + ".txt");
    }

    @Test
    void parse_severalToOneStream_isAllowed() {
        AgentOptions options =
                OptionParser.parse("census,report,census.json=/dev/null", Pooling.BOTH);
        assertThat(options.report()).isEqualTo(Output.STDERR);
        assertThat(Objects.requireNonNull(options.census()).text()).isEqualTo(Output.STDERR);
    }

    /** Ordinary files, in a directory that is called as if it held devices. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void parse_twoToOneFileInMemory_isRefused() {
        assumeTrue(Files.isWritable(Path.of("/dev/shm")));
        assertThatThrownBy(
                        () ->
                                OptionParser.parse(
                                        "census=/dev/shm/polder-%p,report=/dev/shm/polder-%p",
                                        Pooling.BOTH))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("report must have a file each");
    }

    @ParameterizedTest
    @CsvSource({"netty,true", "netty=on,true", "netty=off,false", "census,false"})
    void parse_netty_isASwitch(String text, boolean netty) {
        assertThat(OptionParser.parse(text, Pooling.BOTH).netty()).isEqualTo(netty);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "poool=both|unknown option; options are pool, include, exclude, census,",
                "poool=both|report, leaks: option=poool=both",
                "netty=yes|netty must be on or off: netty=yes",
                "pool|pool must be confined, shared, both, off or unchanged: pool=",
                "pool=|pool must have a value after '=': pool=",
                "pool=on|pool must be confined, shared, both, off or unchanged: pool=on",
                "pool=both,pool=both|an option must be there once: option=pool",
                "pool=both,|there must be something between separators: pool=both,",
                ",,|there must be something between separators: ,,",
                "include=a b|include: a pattern must have names of classes, dots and asterisks",
                "exclude=a::b|there must be something between separators: a::b",
                "include|there must be something between separators",
                "census.seconds=1|census.seconds needs census or census.json",
                "census,census.seconds=0|must be a number from 1 to 86400: census.seconds=0",
                "census,census.seconds=x|must be a number from 1 to 86400: census.seconds=x",
                "census,census.sites=99999999999|census.sites must be a number from 1 to 30000",
                "census.json|census.json must name a file: census.json=FILE",
                "report=/nowhere/at/all|report must name a file in a directory that exists and",
                "census=.|census must name a file in a directory that exists and can be written",
                "report=pom.xml/r|report must name a file in a directory that exists and can",
                "census=a.txt,report=a.txt|report must have a file each: file=a.txt",
                "census=a.txt,census.json=./a.txt|must have a file each: file=./a.txt",
                "leaks=most|leaks must be off, sampled or all: leaks=most",
                "report=a\0b|report must name a file in a directory that exists and can be",
            })
    void parse_brokenRule_isSaid(String text, String message) {
        assertThatThrownBy(() -> OptionParser.parse(text, Pooling.BOTH))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining(message);
    }
}
