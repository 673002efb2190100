package io.polder.agent.rewrite;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;

/**
 * Rewrites one class file.
 *
 * <p>Only instructions that open arenas change; everything else is copied, and so are the stack map
 * frames, which move with the code. They stay true, since an instruction and what stands in its
 * place take and leave the same, and so nothing has to be known of other classes.
 *
 * @param plan what becomes of calls
 * @param bridge the classes that are called instead
 */
record Rewriting(Plan plan, Bridge bridge) {
    private static final ClassFile FILES =
            ClassFile.of(
                    ClassFile.StackMapsOption.DROP_STACK_MAPS, // copied instead
                    ClassFile.DeadCodeOption.KEEP_DEAD_CODE,
                    ClassFile.ShortJumpsOption.FAIL_ON_SHORT_JUMPS);

    /** What became of a class. */
    static final class Result {
        /** The new class file; null if it stays as it is. */
        byte @Nullable [] classFile;

        /** How many calls and references were rewritten. */
        int rewritten;

        /** How many were left, because lambdas made of them can be serialised. */
        int serializable;
    }

    /**
     * Rewrites a class file.
     *
     * @throws IllegalArgumentException if it is malformed, or the result cannot be represented
     * @throws IllegalStateException if the bridge cannot be defined
     */
    Result rewrite(byte[] classFile) {
        Result result = new Result();
        ClassModel model = FILES.parse(classFile);
        byte[] rewritten =
                FILES.transformClass(
                        model,
                        (builder, element) -> {
                            CodeModel code = opening(element);
                            if (code != null && element instanceof MethodModel method) {
                                builder.transformMethod(
                                        method,
                                        MethodTransform.transformingCode(
                                                new CodeRewriting(this, result, code, method)));
                            } else {
                                builder.with(element);
                            }
                        });
        if (result.rewritten > 0) {
            result.classFile = rewritten;
        }
        return result;
    }

    /** The code of a method that opens arenas; null of anything else. */
    private static @Nullable CodeModel opening(ClassElement element) {
        if (element instanceof MethodModel method) {
            CodeModel code = method.code().orElse(null);
            if (code != null && code.elementStream().anyMatch(Uses::isUse)) {
                return code;
            }
        }
        return null;
    }

    /** The name of a class, as in {@link Class#getName}. */
    static String type(ClassModel model) {
        return model.thisClass().asInternalName().replace('/', '.');
    }

    /** The file that a class was made of; empty if its class file does not say. */
    static String source(ClassModel model) {
        return model.findAttribute(Attributes.sourceFile())
                .map(attribute -> attribute.sourceFile().stringValue())
                .orElse("");
    }
}
