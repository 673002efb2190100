package io.polder.tidy;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A type or a member as one line of {@link ApiSurface}. */
final class ApiText {

    /** Of the types that need no import, not of packages below. */
    private static final Pattern JAVA_LANG = Pattern.compile("\\bjava\\.lang\\.(?=[@A-Z])");

    private ApiText() {}

    static boolean isShown(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    static String type(Class<?> type) {
        StringBuilder line = new StringBuilder(type.getName()).append(": ");
        line.append(modifiers(type.getModifiers() & ~hidden(type)));
        line.append(type.isSealed() ? "sealed " : "").append(kind(type));
        line.append(variables(type.getTypeParameters()));
        if (type.getAnnotatedSuperclass() != null
                && type.getSuperclass() != Object.class
                && !type.isRecord()
                && !type.isEnum()) {
            line.append(" extends ").append(text(type.getAnnotatedSuperclass()));
        }
        if (type.getInterfaces().length > 0) {
            line.append(type.isInterface() ? " extends " : " implements ");
            line.append(texts(type.getAnnotatedInterfaces()));
        }
        return line.append(deprecated(type.isAnnotationPresent(Deprecated.class))).toString();
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        return type.isInterface()
                ? "interface"
                : type.isRecord() ? "record" : type.isEnum() ? "enum" : "class";
    }

    /** Modifiers that the kind of a type says already. */
    private static int hidden(Class<?> type) {
        int flags = Modifier.STATIC;
        if (type.isInterface()) {
            flags |= Modifier.ABSTRACT | Modifier.INTERFACE;
        }
        return type.isRecord() || type.isEnum() ? flags | Modifier.FINAL : flags;
    }

    /** Adds the members that are shown; constructors are not inherited. */
    static void members(
            Class<?> type, boolean constructors, Map<String, String> constants, Set<String> to) {
        for (Field field : type.getDeclaredFields()) {
            if (isShown(field)) {
                String value = constants.get(field.getName());
                to.add(
                        modifiers(field.getModifiers())
                                + text(field.getAnnotatedType())
                                + " "
                                + field.getName()
                                + (value == null ? "" : " = " + value)
                                + deprecated(field.isAnnotationPresent(Deprecated.class)));
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            if (isShown(method)) {
                String result = text(method.getAnnotatedReturnType()) + " " + method.getName();
                to.add(executable(method, result));
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (constructors && isShown(constructor)) {
                to.add(executable(constructor, "<init>"));
            }
        }
    }

    private static boolean isShown(Member member) {
        return isShown(member.getModifiers()) && !member.isSynthetic();
    }

    private static String executable(Executable executable, String name) {
        String variables = variables(executable.getTypeParameters());
        int modifiers = executable.getModifiers() & ~(Modifier.SYNCHRONIZED | Modifier.NATIVE);
        if (executable.isVarArgs()) {
            // The bit means "transient" in a field.
            modifiers &= ~Modifier.TRANSIENT;
        }
        String line =
                modifiers(modifiers)
                        + (executable instanceof Method method && method.isDefault()
                                ? "default "
                                : "")
                        + (variables.isEmpty() ? "" : variables + " ")
                        + name
                        + "("
                        + texts(executable.getAnnotatedParameterTypes())
                        + (executable.isVarArgs() ? " (varargs)" : "")
                        + ")";
        if (executable.getExceptionTypes().length > 0) {
            line += " throws " + texts(executable.getAnnotatedExceptionTypes());
        }
        return line + deprecated(executable.isAnnotationPresent(Deprecated.class));
    }

    private static String modifiers(int modifiers) {
        String words = Modifier.toString(modifiers);
        return words.isEmpty() ? "" : words + " ";
    }

    private static String deprecated(boolean is) {
        return is ? " (deprecated)" : "";
    }

    private static String variables(TypeVariable<?>[] variables) {
        if (variables.length == 0) {
            return "";
        }
        return Arrays.stream(variables)
                .map(variable -> variable.getName() + bounds(variable))
                .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String bounds(TypeVariable<?> variable) {
        String bounds =
                Arrays.stream(variable.getAnnotatedBounds())
                        .map(ApiText::text)
                        .collect(Collectors.joining(" & "));
        return bounds.equals("Object") ? "" : " extends " + bounds;
    }

    private static String texts(AnnotatedType[] types) {
        return Arrays.stream(types).map(ApiText::text).collect(Collectors.joining(", "));
    }

    /** The type as it is written in a source, with what may be null. */
    private static String text(AnnotatedType type) {
        return JAVA_LANG
                .matcher(
                        type.toString()
                                .replace("@org.jspecify.annotations.Nullable()", "@Nullable"))
                .replaceAll("");
    }
}
