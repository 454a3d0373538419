package io.parley.bench.contender;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.function.UnaryOperator;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.pool.TypePool;

/** Changes classes of a stack under test before they are loaded, in the contender's own process. */
public final class ClassPatcher {

    private ClassPatcher() {}

    /** Defines the patched class {@code name}; {@code host} is a class of the same package that can be loaded without it. */
    public static void patch(String name, String host, UnaryOperator<DynamicType.Builder<?>> patch)
            throws IOException, ReflectiveOperationException {
        ClassLoader loader = ClassPatcher.class.getClassLoader();
        try (ClassFileLocator locator = ClassFileLocator.ForClassLoader.of(loader)) {
            TypePool types = TypePool.Default.of(locator);
            byte[] patched = patch.apply(
                            new ByteBuddy().redefine(types.describe(name).resolve(), locator))
                    .make()
                    .getBytes();
            Class<?> hostClass = Class.forName(host, false, loader);
            MethodHandles.privateLookupIn(hostClass, MethodHandles.lookup()).defineClass(patched);
        }
    }
}
