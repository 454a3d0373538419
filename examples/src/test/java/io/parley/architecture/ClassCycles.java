package io.parley.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Finds cycles of classes by their strongly connected components (Tarjan, 1972). Nested classes count as their outermost
 * class, and a sealed type with its permitted types counts as one class.
 */
final class ClassCycles {

    private final Map<String, Set<String>> uses = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> lows = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private int largest;

    private ClassCycles() {}

    /** Returns the number of classes in the largest cycle; 1 or less if there is none. */
    static int largest(Iterable<JavaClass> types) {
        ClassCycles cycles = new ClassCycles();
        Set<String> names = new HashSet<>();
        types.forEach(type -> names.add(type.getName()));
        for (JavaClass type : types) {
            String user = node(type.getName());
            Set<String> used = cycles.uses.computeIfAbsent(user, key -> new HashSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency ->
                            dependency.getTargetClass().getBaseComponentType().getName())
                    .filter(names::contains)
                    .map(ClassCycles::node)
                    .filter(name -> !name.equals(user))
                    .forEach(used::add);
        }
        cycles.uses.keySet().forEach(name -> {
            if (!cycles.numbers.containsKey(name)) {
                cycles.visit(name);
            }
        });
        return cycles.largest;
    }

    /** Returns the name of the outermost class, or of the sealed type that permits it. */
    private static String node(String name) {
        try {
            Class<?> type = Class.forName(name, false, ClassCycles.class.getClassLoader());
            while (type.getEnclosingClass() != null) {
                type = type.getEnclosingClass();
            }
            Class<?> outermost = type;
            return Arrays.stream(type.getInterfaces())
                    .filter(supertype -> supertype.isSealed() && supertype.getPackage() == outermost.getPackage())
                    .findFirst()
                    .map(Class::getName)
                    .orElse(outermost.getName());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        } catch (NoClassDefFoundError e) {
            // The type implements a type of an optional library that is not on the class path, so no sealed type.
            int nested = name.indexOf('$');
            return nested < 0 ? name : name.substring(0, nested);
        }
    }

    private void visit(String name) {
        numbers.put(name, numbers.size());
        lows.put(name, numbers.get(name));
        open.push(name);
        for (String used : uses.getOrDefault(name, Set.of())) {
            if (!numbers.containsKey(used)) {
                visit(used);
                lows.merge(name, lows.get(used), Math::min);
            } else if (open.contains(used)) {
                lows.merge(name, numbers.get(used), Math::min);
            }
        }
        if (lows.get(name).equals(numbers.get(name))) {
            int size = 0;
            String popped;
            do {
                popped = open.pop();
                size++;
            } while (!popped.equals(name));
            largest = Math.max(largest, size);
        }
    }
}
