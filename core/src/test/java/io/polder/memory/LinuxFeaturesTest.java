package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Features are tried when they are asked for, once, and again only if something had run out. */
@EnabledOnOs(OS.LINUX)
class LinuxFeaturesTest {

    private final long page = AuxiliaryVector.osPageSize();
    private final RefusingCalls calls = new RefusingCalls();
    private final LinuxFeatures features = new LinuxFeatures(calls, page);

    @Test
    void provider_beforeAnyFeatureIsNeeded_triesNone() {
        assumeTrue(
                page == AuxiliaryVector.kernelPageSize(AuxiliaryVector.OWN).orElseThrow(),
                "a reservation needs no more room than it has");
        LinuxMemoryProvider provider = LinuxMemoryProvider.create(calls);
        assertThat(calls.log()).isEmpty();
        long address = provider.reserve(8 * page, page);
        provider.commit(address, 8 * page);
        provider.adviseHugePages(address, 8 * page, false);
        provider.uncommit(address, page);
        provider.uncommit(new long[] {address}, new long[] {page}, 1);
        provider.release(address, 8 * page);
        assertThat(calls.log())
                .containsExactly("mmap", "mprotect", "madvise", "madvise", "madvise", "munmap");
    }

    @Test
    void features_askedTwice_areTriedOnce() {
        boolean dontUnmap = features.dontUnmap();
        assertThat(calls.log()).startsWith("mmap", "mremap(ANYWHERE)");
        int tried = calls.log().size();
        assertThat(features.dontUnmap()).isEqualTo(dontUnmap);
        assertThat(calls.log()).hasSize(tried);
    }

    @Test
    void features_refused_areMissingForGood() {
        calls.refuse("mremap(ANYWHERE)", Errno.EINVAL, 0);
        assertThat(features.dontUnmap()).isFalse();
        calls.allow();
        calls.log().clear();
        assertThat(features.dontUnmap()).isFalse();
        assertThat(calls.log()).isEmpty();
    }

    @Test
    void features_somethingRanOut_areTriedAgain() {
        boolean found = LinuxProviders.features().dontUnmap();
        calls.refuse("mmap", Errno.ENOMEM, 0);
        assertThat(features.dontUnmap()).isFalse();
        calls.refuse("mremap(ANYWHERE)", Errno.ENOMEM, 0);
        assertThat(features.dontUnmap()).isFalse();
        calls.allow();
        assertThat(features.dontUnmap()).isEqualTo(found);
    }

    /** As under QEMU 7.2: pages would be taken for zero that are not. */
    @Test
    void dontUnmap_adviceTakenAndNotFollowed_isMissing() {
        MovableMemory.assume();
        calls.refuse("madvise", 0, 0);
        assertThat(features.dontUnmap()).isFalse();
        assertThat(calls.log())
                .containsExactly(
                        "mmap", "mremap(ANYWHERE)", "madvise", "madvise", "munmap", "munmap");
    }

    @Test
    void dontUnmap_adviceRefused_isThere() {
        MovableMemory.assume();
        calls.refuse("madvise", Errno.EPERM, 0);
        assertThat(features.dontUnmap()).isTrue();
    }
}
