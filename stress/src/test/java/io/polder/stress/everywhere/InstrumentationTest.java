package io.polder.stress.everywhere;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

class InstrumentationTest {
    private static final List<String> RESULT = List.of("first", "sum 1");

    private final Supplier<List<String>> sample;

    InstrumentationTest() throws ReflectiveOperationException {
        this.sample = InstrumentedSample.create();
    }

    @AfterEach
    void disarm() {
        Throwing.disarm();
    }

    @Test
    void instrumented_notArmed_doesTheSame() {
        assertThat(sample.get()).isEqualTo(new Sample().get());
    }

    @Test
    void stack_isThrownAtEachEntry_inOrder() {
        List<String> methods = new ArrayList<>();
        for (int point = 1; point <= Sample.ENTRIES.size(); point++) {
            Injection injection = Throwing.arm(Kind.STACK, Repeat.ONCE, point);
            assertThatThrownBy(sample::get)
                    .isInstanceOf(StackOverflowError.class)
                    .isSameAs(injection.thrown());
            methods.add(method(injection));
            Throwing.disarm();
        }
        assertThat(methods).isEqualTo(Sample.ENTRIES);
        assertEnds(Kind.STACK, Sample.ENTRIES.size());
    }

    /** The method at whose entry was thrown; lambdas have numbers. */
    private static String method(Injection injection) {
        Throwable thrown = Objects.requireNonNull(injection.thrown());
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frame.getClassName().startsWith(Sample.class.getName())) {
                return frame.getMethodName().startsWith("lambda")
                        ? "lambda"
                        : frame.getMethodName();
            }
        }
        throw new AssertionError("it is thrown in the sample", thrown);
    }

    @Test
    void heap_isThrownAtEachAllocation() {
        for (int point = 1; point <= Sample.ALLOCATIONS; point++) {
            Injection injection = Throwing.arm(Kind.HEAP, Repeat.ONCE, point);
            assertThatThrownBy(sample::get)
                    .isInstanceOf(OutOfMemoryError.class)
                    .isSameAs(injection.thrown());
            Throwing.disarm();
        }
        assertEnds(Kind.HEAP, Sample.ALLOCATIONS);
    }

    @Test
    void error_isThrownAtBoth() {
        assertEnds(Kind.ERROR, Sample.ENTRIES.size() + Sample.ALLOCATIONS);
    }

    /** Points beyond the last one are not come to, and nothing is thrown. */
    private void assertEnds(Kind kind, int points) {
        Injection injection = Throwing.arm(kind, Repeat.ONCE, points + 1);
        assertThat(sample.get()).isEqualTo(RESULT);
        assertThat(injection.thrown()).isNull();
        assertThat(injection.passed()).isEqualTo(points);
    }

    @Test
    void armed_anotherThread_isNotThrownIn() throws InterruptedException {
        List<Object> results = new ArrayList<>();
        Injection injection = Throwing.arm(Kind.ERROR, Repeat.UNTIL_LEFT, 1);
        Thread.ofPlatform().start(() -> results.add(sample.get())).join();
        assertThat(results).containsExactly(RESULT);
        assertThat(injection.passed()).isZero();
    }

    @Test
    void handOver_throwsInThatThreadAlone() throws InterruptedException {
        List<Object> results = new ArrayList<>();
        List<Throwable> thrown = new ArrayList<>();
        Injection injection = Throwing.arm(Kind.STACK, Repeat.ONCE, 2);
        Thread other =
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, failure) -> thrown.add(failure))
                        .unstarted(() -> results.add(sample.get()));
        Throwing.handOver(other);
        assertThat(sample.get()).isEqualTo(RESULT);
        other.start();
        other.join();
        assertThat(results).isEmpty();
        assertThat(thrown).containsExactly(injection.thrown());
    }
}
