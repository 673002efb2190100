package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Which fence is chosen, by setting and system, and what is said about it. */
class GateFenceTest {
    private final List<String> complaints = new ArrayList<>();
    private final ProcessFence none = ProcessFence.none();
    private final ProcessFence real = ProcessFence.ofThisProcess();

    @ParameterizedTest
    @CsvSource({"asymmetric, ASYMMETRIC", "full, FULL", "auto, AUTO", ", AUTO"})
    void parse_knownOrUnset_isTaken(String value, FenceSetting setting) {
        assertThat(FenceSetting.parse(value, complaints)).isEqualTo(setting);
        assertThat(complaints).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " full", "FULL", "Auto", "asymmetric,full", "true", "0"})
    void parse_anythingElse_isAutoWithAComplaint(String value) {
        assertThat(FenceSetting.parse(value, complaints)).isEqualTo(FenceSetting.AUTO);
        assertThat(complaints)
                .containsExactly(
                        "polder.gate.fence must be one of asymmetric, full, auto: value="
                                + value
                                + "; using auto");
    }

    @Test
    void choose_full_isFullWhateverTheSystemHas() {
        GateFence fence = GateFence.choose(FenceSetting.FULL, real, complaints);
        assertThat(fence.isAsymmetric()).isFalse();
        assertThat(fence.reason()).contains("asked for");
        assertThat(complaints).isEmpty();
    }

    @Test
    void choose_autoWithoutAProcessFence_isFullWithoutComplaint() {
        GateFence fence = GateFence.choose(FenceSetting.AUTO, none, complaints);
        assertThat(fence.isAsymmetric()).isFalse();
        assertThat(fence.reason()).contains("no membarrier");
        assertThat(complaints).isEmpty();
    }

    @Test
    void choose_asymmetricWithoutAProcessFence_isFullWithAComplaint() {
        GateFence fence = GateFence.choose(FenceSetting.ASYMMETRIC, none, complaints);
        assertThat(fence.isAsymmetric()).isFalse();
        assertThat(complaints).hasSize(1);
        assertThat(complaints.getFirst())
                .startsWith("polder.gate.fence asks for a fence that cannot be had")
                .endsWith("using full");
    }

    @Test
    void choose_withAProcessFence_isAsymmetricIfAskedForAndElseUnderTest() {
        assumeTrue(real.isAvailable(), real.reason());
        GateFence asked = GateFence.choose(FenceSetting.ASYMMETRIC, real, complaints);
        assertThat(asked.isAsymmetric()).isTrue();
        assertThat(asked.reason()).contains("membarrier");
        GateFence found = GateFence.choose(FenceSetting.AUTO, real, complaints);
        assertThat(found.isAsymmetric()).as(found.reason()).isFalse();
        assertThat(found.reason()).isEqualTo("full fence: the asymmetric one is under test");
        assertThat(complaints).isEmpty();
    }

    /** Where classes lie; the module's location would not do for patched-in tests. */
    private static URL classes() throws Exception {
        String name = GateFence.class.getName().replace('.', '/') + ".class";
        URL file = Objects.requireNonNull(GateFence.class.getResource("GateFence.class"));
        return URI.create(file.toString().replace(name, "")).toURL();
    }

    /** The classes are loaded anew, so that nothing is chosen when the threads come. */
    @Test
    void choose_byThreadsAtOnceForTheFirstTime_isTheSameForAll() throws Exception {
        URL classes = classes();
        CyclicBarrier atOnce = new CyclicBarrier(4);
        // No parent, since those of the JDK know the classes of modules. Stays open: a thread of
        // these classes goes on to test the fence.
        URLClassLoader fresh = new URLClassLoader(new URL[] {classes}, null);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            Class<?> loaded = fresh.loadClass(GateFence.class.getName());
            assertThat(loaded).isNotSameAs(GateFence.class);
            Method choose = loaded.getMethod("choose");
            List<Future<Object>> chosen = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                chosen.add(
                        threads.submit(
                                () -> {
                                    atOnce.await();
                                    return choose.invoke(null);
                                }));
            }
            Object first = chosen.getFirst().get();
            assertThat(first).isInstanceOf(loaded);
            for (Future<Object> each : chosen) {
                assertThat(each.get()).isSameAs(first);
            }
            assertThat(choose.invoke(null)).isSameAs(first);
        }
    }

    @Test
    void asymmetric_withoutAProcessFence_throws() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GateFence.asymmetric(none))
                .withMessageContaining("needs a fence of all threads");
    }

    @Test
    void run_fenceFails_closeThrowsAndCanBeRepeated() {
        boolean[] refuse = {true};
        Gate gate =
                new SlotGate(
                        GateFence.asymmetric(
                                () -> {
                                    if (refuse[0]) {
                                        throw new IllegalStateException("refused");
                                    }
                                }));
        assertThatIllegalStateException().isThrownBy(gate::close).withMessage("refused");
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
        GateCheck.verify(gate);
        refuse[0] = false;
        gate.close();
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }
}
