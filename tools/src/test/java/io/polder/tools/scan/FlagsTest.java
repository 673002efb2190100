package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

class FlagsTest {
    private static final String SOURCE =
            """
            class Switches {
                static void run(int times) {
                    boolean done = false;
                    for (int i = 0; i < times; i++) {
                        Runtime.getRuntime().gc();
                        done = true;
                        Runtime.getRuntime().gc();
                    }
                    if (done) {
                        Runtime.getRuntime().gc();
                    }
                }
            }
            """;

    @TempDir private Path folder;

    private MethodCode code() {
        byte[] file = Compiled.bytes(Compiled.into(folder, "Switches", SOURCE));
        CodeAttribute code =
                ClassFile.of().parse(file).methods().stream()
                        .filter(method -> method.methodName().equalsString("run"))
                        .flatMap(method -> method.findAttribute(Attributes.code()).stream())
                        .findFirst()
                        .orElseThrow();
        return new MethodCode(code);
    }

    private static List<Integer> calls(MethodCode code) {
        return IntStream.range(0, code.size())
                .filter(i -> code.instruction(i).opcode() == Opcode.INVOKEVIRTUAL)
                .boxed()
                .toList();
    }

    @Test
    void before_pathsMeet_isWhatAllOfThemKnow() {
        MethodCode code = code();
        Flags flags = Flags.of(code);
        List<Known> known = calls(code).stream().map(flags::before).toList();
        assertThat(known).hasSize(3);
        assertThat(known.get(0).has(1)).isFalse();
        assertThat(known.get(1).has(1)).isTrue();
        assertThat(known.get(1).isOne(1)).isTrue();
        assertThat(known.get(2).has(1)).isFalse();
    }

    /** It takes a walk through all paths of the method, which may open hundreds of arenas. */
    @Test
    void before_askedAgain_isNotFoundOutAgain() {
        MethodCode code = code();
        Flags flags = Flags.of(code);
        int second = calls(code).get(1);
        assertThat(flags.before(second)).isSameAs(flags.before(second));
    }

    @Test
    void before_noFlags_isNothing() {
        MethodCode code = code();
        assertThat(Flags.none(code).before(calls(code).get(1))).isSameAs(Known.NOTHING);
    }
}
