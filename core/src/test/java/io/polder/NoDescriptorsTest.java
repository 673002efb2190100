package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process that ran out of descriptors for a moment. See {@link NoDescriptorsProbe}. */
@EnabledOnOs(OS.LINUX)
class NoDescriptorsTest {
    @Test
    void take_beyondTheMachine_isRefusedAsSoonAsItCouldBeRead() throws Exception {
        Path mode = Path.of("/proc/sys/vm/overcommit_memory");
        assumeTrue(Files.exists(mode) && Files.readString(mode).trim().equals("0"));
        assumeTrue(Providers.choose().provider().name().equals("linux"));
        List<String> flags = List.of("-XX:-MaxFDLimit", ChildJvm.NATIVE_ACCESS);
        ChildJvm.Result result =
                ChildJvm.program(
                        flags,
                        NoDescriptorsProbe.class,
                        Long.toString(1L << 46),
                        ChildJvm.coreClasses().toString());
        assertThat(result.out())
                .describedAs(result.err())
                .contains("read: refused", "known: refused", "again: refused")
                .endsWith("ok\n");
    }

    @Test
    void use_firstWithoutDescriptors_works() throws Exception {
        assumeTrue(Providers.choose().provider().name().equals("linux"));
        List<String> flags = List.of("-XX:-MaxFDLimit", ChildJvm.NATIVE_ACCESS);
        ChildJvm.Result result =
                ChildJvm.program(
                        flags,
                        NoDescriptorsProbe.class,
                        "0",
                        ChildJvm.coreClasses().toString(),
                        "first");
        assertThat(result.out()).describedAs(result.err()).contains("with: taken");
        assertThat(result.out()).describedAs(result.err()).contains("without: taken");
    }
}
