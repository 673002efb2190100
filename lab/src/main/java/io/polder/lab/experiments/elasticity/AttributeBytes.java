package io.polder.lab.experiments.elasticity;

import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.attribute.LineNumberInfo;
import java.lang.classfile.attribute.LineNumberTableAttribute;
import java.lang.classfile.attribute.StackMapFrameInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.SimpleVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.VerificationTypeInfo;
import java.lang.classfile.attribute.StackMapTableAttribute;
import java.util.List;

/**
 * Lengths of what a JVM keeps of a class file as it is, or packed, computed from the parsed form:
 * the parser tells what an attribute says, not how long it is.
 */
final class AttributeBytes {
    /** Count in front of a list. */
    private static final int COUNT = 2;

    /** Index into the constant pool. */
    private static final int INDEX = 2;

    /** First byte of an element value, and of a verification type. */
    private static final int TAG = 1;

    /** Types of frames of the stack map table, each the last of its kind (JVMS 4.7.4). */
    private static final int SAME_LAST = 63;

    private static final int SAME_ONE_ITEM_LAST = 127;
    private static final int SAME_ONE_ITEM_EXTENDED = 247;
    private static final int SAME_EXTENDED = 251;
    private static final int APPEND_LAST = 254;

    /** Type of a frame with its offset. */
    private static final int EXTENDED_FRAME = 3;

    private AttributeBytes() {}

    /** Annotations of one kind on a class, field or method (JVMS 4.7.16). */
    static int annotations(List<Annotation> annotations) {
        return COUNT + annotations.stream().mapToInt(AttributeBytes::annotation).sum();
    }

    private static int annotation(Annotation annotation) {
        return INDEX
                + COUNT
                + annotation.elements().stream()
                        .mapToInt(element -> INDEX + value(element.value()))
                        .sum();
    }

    /** The value of an annotation's element, also of a default (JVMS 4.7.16.1). */
    static int value(AnnotationValue value) {
        return TAG
                + switch (value) {
                    case AnnotationValue.OfAnnotation nested -> annotation(nested.annotation());
                    case AnnotationValue.OfArray array ->
                            COUNT + array.values().stream().mapToInt(AttributeBytes::value).sum();
                    case AnnotationValue.OfEnum _ -> INDEX + INDEX;
                    case AnnotationValue.OfConstant _, AnnotationValue.OfClass _ -> INDEX;
                };
    }

    /** A stack map table (JVMS 4.7.4). */
    static int stackMap(StackMapTableAttribute table) {
        return COUNT + table.entries().stream().mapToInt(AttributeBytes::frame).sum();
    }

    private static int frame(StackMapFrameInfo frame) {
        int type = frame.frameType();
        if (type <= SAME_LAST) {
            return TAG;
        } else if (type <= SAME_ONE_ITEM_LAST) {
            return TAG + types(frame.stack());
        } else if (type == SAME_ONE_ITEM_EXTENDED) {
            return EXTENDED_FRAME + types(frame.stack());
        } else if (type <= SAME_EXTENDED) {
            return EXTENDED_FRAME;
        } else if (type <= APPEND_LAST) {
            // The parser gives all locals; the file has those that are new, at their end.
            int added = type - SAME_EXTENDED;
            int locals = frame.locals().size();
            return EXTENDED_FRAME + types(frame.locals().subList(locals - added, locals));
        }
        return EXTENDED_FRAME + COUNT + types(frame.locals()) + COUNT + types(frame.stack());
    }

    private static int types(List<VerificationTypeInfo> types) {
        return types.stream()
                .mapToInt(type -> type instanceof SimpleVerificationTypeInfo ? TAG : TAG + INDEX)
                .sum();
    }

    /** Line number tables of one method, packed into one with an end mark. */
    static int lineNumbers(List<LineNumberTableAttribute> tables) {
        int bytes = 0;
        int code = 0;
        int line = 0;
        for (LineNumberTableAttribute table : tables) {
            for (LineNumberInfo entry : table.lineNumbers()) {
                bytes += MetadataModel.lineStep(entry.startPc() - code, entry.lineNumber() - line);
                code = entry.startPc();
                line = entry.lineNumber();
            }
        }
        return bytes == 0 ? 0 : bytes + 1;
    }
}
