package io.polder.memory;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The Linux provider keeps the contract, with every feature of the kernel and with none. */
@EnabledOnOs(OS.LINUX)
class LinuxContractTest {

    @Nested
    class AllFeatures extends MemoryProviderContract {
        @Override
        MemoryProvider create() {
            return LinuxProviders.all();
        }
    }

    @Nested
    class NoFeatures extends MemoryProviderContract {
        @Override
        MemoryProvider create() {
            return LinuxProviders.with(new LinuxCalls(), LinuxProviders.noFeatures());
        }
    }
}
