package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Which tests of memory that is moved are run. */
class MovableMemoryTest {

    @Test
    void isTested_linuxOnX86_always() {
        assertThat(MovableMemory.isTested("Linux", "amd64", true)).isTrue();
        assertThat(MovableMemory.isTested("Linux", "amd64", false)).isTrue();
        assertThat(MovableMemory.isTested("Linux", "x86_64", false)).isTrue();
    }

    @Test
    void isTested_elsewhere_whereTheSystemCanDoIt() {
        for (String arch : new String[] {"aarch64", "riscv64"}) {
            assertThat(MovableMemory.isTested("Linux", arch, true)).isTrue();
            assertThat(MovableMemory.isTested("Linux", arch, false)).isFalse();
        }
        assertThat(MovableMemory.isTested("Mac OS X", "x86_64", false)).isFalse();
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void assume_hereOnX86_skipsNothing() {
        assertDoesNotThrow(MovableMemory::assume);
    }
}
