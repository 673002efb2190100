package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.Await;
import io.polder.Crew;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

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
        int pidfd = features.pidfd();
        int tried = calls.log().size();
        assertThat(features.dontUnmap()).isEqualTo(dontUnmap);
        assertThat(features.pidfd()).isEqualTo(pidfd);
        assertThat(calls.log()).hasSize(tried);
        close(features);
    }

    /** Or else all virtual threads that take pages would wait for each other there. */
    @Test
    void features_known_areFoundWithoutTheLock() throws Exception {
        boolean dontUnmap = features.dontUnmap();
        int pidfd = features.pidfd();
        try (ExecutorService other = Crew.of(1)) {
            synchronized (features) {
                assertThat(other.submit(features::dontUnmap).get()).isEqualTo(dontUnmap);
                assertThat(other.submit(features::pidfd).get()).isEqualTo(pidfd);
            }
        }
        close(features);
    }

    @Test
    void features_refused_areMissingForGood() {
        calls.refuse("mremap(ANYWHERE)", Errno.EINVAL, 0);
        assertThat(features.dontUnmap()).isFalse();
        calls.refuse("pidfd_open", Errno.ENOSYS, 0);
        assertThat(features.pidfd()).isEqualTo(LinuxFeatures.NO_PIDFD);
        calls.allow();
        calls.log().clear();
        assertThat(features.dontUnmap()).isFalse();
        assertThat(features.pidfd()).isEqualTo(LinuxFeatures.NO_PIDFD);
        assertThat(calls.log()).isEmpty();
    }

    @Test
    void features_somethingRanOut_areTriedAgain() {
        LinuxFeatures found = LinuxProviders.features();
        calls.refuse("mmap", Errno.ENOMEM, 0);
        assertThat(features.dontUnmap()).isFalse();
        calls.refuse("mremap(ANYWHERE)", Errno.ENOMEM, 0);
        assertThat(features.dontUnmap()).isFalse();
        calls.refuse("pidfd_open", Errno.EMFILE, 0);
        assertThat(features.pidfd()).isEqualTo(LinuxFeatures.NO_PIDFD);
        calls.allow();
        assertThat(features.dontUnmap()).isEqualTo(found.dontUnmap());
        assertThat(features.pidfd() >= 0).isEqualTo(found.pidfd() >= 0);
        close(features);
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

    @Test
    void pidfd_adviceRefused_closesTheDescriptor() {
        calls.refuse("process_madvise", Errno.EPERM, 0);
        assertThat(features.pidfd()).isEqualTo(LinuxFeatures.NO_PIDFD);
        if (calls.log().contains("process_madvise")) {
            assertThat(calls.log()).endsWith("close", "munmap");
        }
    }

    @Test
    void pidfd_manyThreads_isOpenedOnce() throws Exception {
        int threads = 8;
        CountDownLatch start = new CountDownLatch(threads);
        try (ExecutorService pool = Crew.of(threads)) {
            List<Future<Integer>> asked =
                    IntStream.range(0, threads)
                            .mapToObj(
                                    i ->
                                            pool.submit(
                                                    () -> {
                                                        start.countDown();
                                                        Await.open(start);
                                                        return features.pidfd();
                                                    }))
                            .toList();
            for (Future<Integer> answer : asked) {
                assertThat(answer.get()).isEqualTo(features.pidfd());
            }
        }
        assertThat(calls.log()).containsOnlyOnce("pidfd_open");
        close(features);
    }

    private void close(LinuxFeatures tried) {
        if (tried.pidfd() != LinuxFeatures.NO_PIDFD) {
            assertThat(calls.close(tried.pidfd())).isZero();
        }
    }
}
