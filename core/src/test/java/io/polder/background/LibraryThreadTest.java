package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Threads that keep nothing of who needed them. */
class LibraryThreadTest {
    @Test
    void thread_madeInAGroup_isInThatOfTheJvmAndInheritsNothing() throws InterruptedException {
        ThreadGroup group = new ThreadGroup(new ThreadGroup("outer"), "inner");
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        Thread maker =
                Thread.ofPlatform()
                        .group(group)
                        .start(
                                () -> {
                                    inherited.set("of the maker");
                                    made =
                                            List.of(
                                                    LibraryThread.daemon("a", this::look),
                                                    LibraryThread.awaited("b", this::look));
                                });
        Await.end(maker);
        for (Thread each : made) {
            assertThat(each.getThreadGroup().getParent()).isNull();
            assertThat(each.getContextClassLoader()).isNull();
            found = inherited;
            each.start();
            Await.end(each);
            assertThat(value).isEqualTo("none");
        }
        assertThat(made).extracting(Thread::getName).containsExactly("a", "b");
        assertThat(made).extracting(Thread::isDaemon).containsExactly(true, false);
    }

    private volatile List<Thread> made = List.of();
    private volatile InheritableThreadLocal<String> found = new InheritableThreadLocal<>();
    private volatile String value = "";

    private void look() {
        String inherited = found.get();
        value = inherited == null ? "none" : inherited;
    }
}
