package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.List;

/** A process that the system does not let give memory back: see {@link SandboxProbe}. */
@EnabledOnOs(OS.LINUX)
class SandboxTest {

    @Test
    void uncommit_refusedForGood_isToldOnceAndInTheStatistics() {
        ChildJvm.Result result =
                ChildJvm.program(List.of(ChildJvm.NATIVE_ACCESS), SandboxProbe.class);
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        assumeTrue(!result.out().contains("no sandbox"));
        assertThat(result.out())
                .contains("before: givesBack=true", "after: givesBack=false")
                .contains("used=little", "committed=much", "refused=true")
                .contains("gives memory back by the page: no")
                .doesNotContain("trimmed");
        assertThat(result.err().lines().filter(line -> line.startsWith("WARNING")))
                .singleElement()
                .asString()
                .startsWith(
                        "WARNING: free memory stays with the process, since the system refuses to"
                                + " take it: the operating system must carry out"
                                + " madvise(MADV_DONTNEED): errno=EPERM (1)");
    }
}
