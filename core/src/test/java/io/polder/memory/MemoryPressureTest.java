package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class MemoryPressureTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir Path root = Path.of("replaced by JUnit");

    private void say(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void sayStalled(String file, long micros) throws IOException {
        say(
                file,
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n".formatted(micros)
                        + "full avg10=0.00 avg60=0.00 avg300=0.00 total=999999999\n");
    }

    @Test
    void isHigh_kernelDoesNotTell_never() {
        assertThat(new MemoryPressure(root, 0).isHigh(SECOND)).isFalse();
    }

    @Test
    void isHigh_aTenthOfTheTimeWasStalled_untilTheNextLook() throws IOException {
        sayStalled("proc/pressure/memory", 5_000_000);
        MemoryPressure pressure = new MemoryPressure(root, 0);
        assertThat(pressure.isHigh(SECOND)).isFalse();
        sayStalled("proc/pressure/memory", 5_050_000);
        assertThat(pressure.isHigh(2 * SECOND)).isFalse();
        sayStalled("proc/pressure/memory", 5_250_000);
        assertThat(pressure.isHigh(3 * SECOND)).isTrue();
        assertThat(pressure.isHigh(4 * SECOND)).isFalse();
    }

    @Test
    void isHigh_controlGroup_isItsOwn() throws IOException {
        say("proc/self/cgroup", "4:memory:/old\n0::/app.slice/one\n");
        sayStalled("sys/fs/cgroup/app.slice/one/memory.pressure", 0);
        sayStalled("proc/pressure/memory", 0);
        MemoryPressure pressure = new MemoryPressure(root, 0);
        sayStalled("proc/pressure/memory", 900_000);
        assertThat(pressure.isHigh(SECOND)).isFalse();
        sayStalled("sys/fs/cgroup/app.slice/one/memory.pressure", 900_000);
        assertThat(pressure.isHigh(2 * SECOND)).isTrue();
    }

    /** A name is any bytes; not all are a path where the locale is POSIX, and none with a 0 is. */
    @Test
    void isHigh_controlGroupWithANameThatIsNoPath_isThatOfTheMachine() throws IOException {
        say("proc/self/cgroup", "0::/app\0slice\n");
        sayStalled("proc/pressure/memory", 0);
        MemoryPressure pressure = new MemoryPressure(root, 0);
        sayStalled("proc/pressure/memory", 900_000);
        assertThat(pressure.isHigh(SECOND)).isTrue();
    }

    /** Descriptors may have run out. */
    @Test
    void isHigh_notReadableForAMoment_saysItAtTheNextLook() throws IOException {
        Path file = root.resolve("proc/pressure/memory");
        sayStalled("proc/pressure/memory", 5_000_000);
        MemoryPressure pressure = new MemoryPressure(root, -SECOND);
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(pressure.isHigh(0)).isFalse();
        Files.delete(file);
        sayStalled("proc/pressure/memory", 5_000_000);
        assertThat(pressure.isHigh(SECOND)).isFalse();
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(pressure.isHigh(2 * SECOND)).isFalse();
        Files.delete(file);
        sayStalled("proc/pressure/memory", 5_250_000);
        assertThat(pressure.isHigh(3 * SECOND)).isTrue();
    }

    @Test
    void isHigh_notReadableAtFirst_beginsWhenItIs() throws IOException {
        MemoryPressure pressure = new MemoryPressure(root, -3 * SECOND);
        sayStalled("proc/pressure/memory", 900_000);
        assertThat(pressure.isHigh(-2 * SECOND)).isFalse();
        sayStalled("proc/pressure/memory", 1_200_000);
        assertThat(pressure.isHigh(-SECOND)).isTrue();
    }

    @Test
    void isHigh_otherGroupOrCountedAnew_begins() throws IOException {
        say("proc/self/cgroup", "0::/one\n");
        sayStalled("sys/fs/cgroup/one/memory.pressure", 1_000);
        sayStalled("sys/fs/cgroup/two/memory.pressure", 900_000_000);
        MemoryPressure pressure = new MemoryPressure(root, 0);
        say("proc/self/cgroup", "0::/two\n");
        assertThat(pressure.isHigh(SECOND)).isFalse();
        sayStalled("sys/fs/cgroup/two/memory.pressure", 5_000);
        assertThat(pressure.isHigh(2 * SECOND)).isFalse();
        sayStalled("sys/fs/cgroup/two/memory.pressure", 300_000);
        assertThat(pressure.isHigh(3 * SECOND)).isTrue();
    }
}
