package io.polder.memory;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The Linux provider keeps the contract, with every feature of the kernel and with none. */
@EnabledOnOs(OS.LINUX)
class LinuxContractTest {

    @Nested
    class AllFeatures extends GivingContract {
        @Override
        MemoryProvider create() {
            return LinuxProviders.all();
        }
    }

    /** As where the kernel does not tell its page, which is smaller. */
    @Nested
    class LargestPage extends GivingContract {
        @Override
        MemoryProvider create() {
            return LinuxProviders.withLargestPage();
        }
    }

    @Nested
    class NoFeatures extends GivingContract {
        @Override
        MemoryProvider create() {
            return LinuxProviders.with(new LinuxCalls(), LinuxProviders.noFeatures());
        }
    }
}
