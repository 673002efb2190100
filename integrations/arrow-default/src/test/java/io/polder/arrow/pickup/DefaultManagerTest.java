package io.polder.arrow.pickup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whose memory a program's buffers are in, by what is on its class path. */
class DefaultManagerTest {
    private static final String OURS = "manager io.polder.arrow.PolderAllocationManager\n";
    private static final String SUM = "sum 4999950000\n";
    private static final String OPENS = "--add-opens=java.base/java.nio=ALL-UNNAMED";

    private final ClassPath all = ClassPath.ofTests();
    private final ClassPath base = ClassPath.withoutManagers();
    @TempDir private Path folder;

    private JavaProcess.Result program(ClassPath path, String... flags)
            throws IOException, InterruptedException {
        List<String> words = List.of("io.polder.arrow.pickup.VectorProgram");
        return JavaProcess.run(folder, List.of(flags), path, words);
    }

    private JavaProcess.Result program(ClassPath path) throws IOException, InterruptedException {
        return program(path, JavaProcess.ALL_FLAGS.toArray(new String[0]));
    }

    private static List<String> join(List<String> first, List<String> second) {
        List<String> both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }

    private static void assertPolders(JavaProcess.Result result) {
        assertThat(result.out()).describedAs(result.err()).isEqualTo(OURS + SUM);
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void polder_alone_isTheDefault() throws Exception {
        assertPolders(program(base.after(all.polder())));
    }

    @Test
    void polder_besideNetty_isTheDefaultWhereverItStands() throws Exception {
        assertPolders(program(base.after(join(all.polder(), all.netty()))));
        assertPolders(program(base.after(join(all.netty(), all.polder()))));
    }

    @Tag("full")
    @Test
    void polder_besideUnsafe_isTheDefaultWhereItIsFirst() throws Exception {
        assertPolders(program(base.after(join(all.polder(), all.unsafe()))));
        assertThat(program(base.after(join(all.unsafe(), all.polder()))).out())
                .isEqualTo(
                        "manager org.apache.arrow.memory.unsafe.UnsafeAllocationManager\n" + SUM);
    }

    @Tag("full")
    @Test
    void others_withoutPolder_areAsEver() throws Exception {
        assertThat(program(base.after(all.netty())).out())
                .isEqualTo("manager org.apache.arrow.memory.netty.NettyAllocationManager\n" + SUM);
        assertThat(program(base).err()).contains("No DefaultAllocationManager found");
    }

    /** So Spark has what --jars and --packages bring. */
    @Test
    void polder_inALoaderBelowArrows_isNotAsked() throws Exception {
        List<String> words = new ArrayList<>(all.polder());
        words.addFirst("io.polder.arrow.pickup.LoaderBelowProgram");
        JavaProcess.Result result =
                JavaProcess.run(folder, JavaProcess.ALL_FLAGS, base.after(all.netty()), words);
        assertThat(result.out())
                .describedAs(result.err())
                .isEqualTo("manager org.apache.arrow.memory.netty.NettyAllocationManager\n" + SUM);
    }

    @Test
    void property_thatNamesAnotherManager_isObeyed() throws Exception {
        List<String> flags = new ArrayList<>(JavaProcess.ALL_FLAGS);
        flags.add("-Darrow.allocation.manager.type=Netty");
        assertThat(
                        program(
                                        base.after(join(all.polder(), all.netty())),
                                        flags.toArray(new String[0]))
                                .out())
                .startsWith("manager org.apache.arrow.memory.netty.NettyAllocationManager\n");
    }

    @Test
    void pool_firstAskedForNearTheEndOfAStack_canBeHadLater() throws Exception {
        JavaProcess.Result result =
                JavaProcess.run(
                        folder,
                        JavaProcess.ALL_FLAGS,
                        base.after(all.polder()),
                        List.of("io.polder.arrow.pickup.DeepProgram"));
        assertThat(result.out()).describedAs(result.err()).isEqualTo("pool arrow\n");
    }

    /** With Netty's manager, Arrow 19 fails here; 18.3 does with none of these flags. */
    @Test
    void flags_opensAlone_areEnoughWithWarnings() throws Exception {
        JavaProcess.Result result = program(base.after(all.polder()), OPENS);
        assertThat(result.out()).describedAs(result.err()).isEqualTo(OURS + SUM);
        assertThat(result.err())
                .contains("--enable-native-access=ALL-UNNAMED")
                .contains("terminally deprecated method");
    }

    @Test
    void nativeAccess_denied_isRefusedWithTheFlag() throws Exception {
        JavaProcess.Result result =
                program(
                        base.after(all.polder()),
                        "--illegal-native-access=deny",
                        "--sun-misc-unsafe-memory-access=allow",
                        OPENS);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains(
                        "Exception in thread \"main\" java.lang.UnsupportedOperationException:"
                                + " Arrow's buffers cannot be in memory of Polder, since native"
                                + " access is denied: start Java with"
                                + " --enable-native-access=ALL-UNNAMED\n");
    }
}
