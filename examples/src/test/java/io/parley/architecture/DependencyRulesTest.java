package io.parley.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The dependency rules of {@code docs/architecture.md}. The POMs state them for modules, this test for packages and classes. */
class DependencyRulesTest {

    private static final Set<String> BASE = Set.of("core");
    private static final Set<String> ALL = Set.of(
            "core",
            "overlay",
            "pipes",
            "sockets",
            "transport.tcp",
            "transport.http",
            "transport.udp",
            "codec.xml",
            "codec.compress");

    /** The modules that each module may use, besides itself. */
    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            Map.entry("core", Set.of()),
            Map.entry("transport.tcp", BASE),
            Map.entry("transport.http", Set.of("core", "transport.tcp")),
            Map.entry("transport.udp", BASE),
            Map.entry("codec.xml", BASE),
            Map.entry("codec.compress", BASE),
            Map.entry("testkit", BASE),
            Map.entry("overlay", BASE),
            Map.entry("pipes", Set.of("core", "overlay")),
            Map.entry("sockets", Set.of("core", "overlay", "pipes")),
            Map.entry("bench", ALL),
            Map.entry("examples", ALL));

    /** The packages of core and overlay, which do not carry the name of their module; each with its subpackages. */
    private static final Map<String, Set<String>> PACKAGES = Map.of(
            "core",
            Set.of("error", "common", "id", "identity", "message", "codec", "encoding", "transport", "endpoint"),
            "overlay",
            Set.of(
                    "advertisement",
                    "store",
                    "resolver",
                    "discovery",
                    "rendezvous",
                    "relay",
                    "group",
                    "json",
                    "metrics"));

    /** The modules that may use {@code io.parley.common.internal} of core. */
    private static final Set<String> COMMON_INTERNAL_USERS = Set.of(
            "core",
            "overlay",
            "pipes",
            "sockets",
            "transport.tcp",
            "transport.http",
            "transport.udp",
            "codec.xml",
            "codec.compress",
            "testkit");

    /** The modules whose public types an application or the author of a codec or transport learns. */
    private static final Set<String> SURFACE = Set.of("core", "overlay", "pipes");

    /** Raised to 126 for {@code FlowLimits}, because a window, a queue and a rate of single pipes need one place for their values. */
    private static final int MAX_PUBLIC_TYPES = 126;

    private static final int MAX_CLASS_CYCLE = 5;

    /** The SPI, which uses the buffers of Netty. */
    private static final Set<String> SPI_PACKAGES = Set.of(
            "io.parley.codec",
            "io.parley.encoding",
            "io.parley.transport",
            "io.parley.transport.memory",
            "io.parley.transport.tls");

    private static final Set<String> PROGRAMS = Set.of("examples", "bench", "testkit");

    private static JavaClasses parley;

    @BeforeAll
    static void read() {
        ImportOption noTestJars = location -> !location.contains("-tests.jar");
        parley = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(noTestJars)
                .importPackages("io.parley");
    }

    @Test
    void everyModule_isSeen() {
        // Bench is not on this class path: no module can use it by accident. It has a test of its own.
        assertThat(parley.stream().map(DependencyRulesTest::moduleOf).distinct())
                .contains(
                        "core", "overlay", "transport.http", "transport.udp", "codec.xml", "codec.compress", "sockets");
    }

    @Test
    void modules_useOnlyTheModulesBelow() {
        check("use only the modules below", (user, used) -> {
            String from = moduleOf(user);
            String to = moduleOf(used);
            return to.equals(from) || ALLOWED.get(from).contains(to);
        });
    }

    @Test
    void internalPackages_areUsedByTheirModuleOnly() {
        check(
                "not use internal packages of other modules",
                (user, used) -> !isInternal(used)
                        || moduleOf(user).equals(moduleOf(used))
                        || used.getPackageName().equals("io.parley.common.internal")
                                && COMMON_INTERNAL_USERS.contains(moduleOf(user)));
    }

    @Test
    void classes_standInTheModuleOfTheirPackage() {
        assertThat(parley.stream().filter(type -> !standsInItsModule(type))).isEmpty();
    }

    @Test
    void packages_haveNoCycles() {
        checkNoCycles(
                "packages, each with its internal ones",
                DependencyRulesTest::isOurs,
                DependencyRulesTest::withoutInternal);
    }

    @Test
    void internalPackages_haveNoCycles() {
        checkNoCycles("internal packages", name -> isOurs(name) && !name.equals(withoutInternal(name)), name -> name);
    }

    private static void checkNoCycles(String description, Predicate<String> checked, UnaryOperator<String> slice) {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        String name = type.getPackageName();
                        return checked.test(name) ? SliceIdentifier.of(slice.apply(name)) : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return description;
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(parley);
    }

    @Test
    void classes_ofAPackage_haveNoLongCycles() {
        Map<String, Integer> tooLong = new TreeMap<>();
        for (String name : packageNames()) {
            int largest = ClassCycles.largest(parley.that(com.tngtech.archunit.base.DescribedPredicate.describe(
                    "in " + name, (JavaClass type) -> type.getPackageName().equals(name))));
            if (largest > MAX_CLASS_CYCLE) {
                tooLong.put(name, largest);
            }
        }
        assertThat(tooLong)
                .as("packages with a cycle of more than %d classes", MAX_CLASS_CYCLE)
                .isEmpty();
    }

    @Test
    void publicTypes_areFewEnoughToLearn() {
        List<String> types = parley.stream()
                .filter(type -> SURFACE.contains(moduleOf(type)) && !isInternal(type))
                .filter(type -> type.isTopLevelClass() && isVisible(type))
                .map(JavaClass::getName)
                .filter(name -> !name.endsWith("package-info"))
                .sorted()
                .toList();
        assertThat(types).hasSizeBetween(1, MAX_PUBLIC_TYPES);
    }

    @Test
    void publicApi_doesNotMentionInternalTypes() {
        checkSignatures(
                "not mention internal types in their signatures",
                type -> !PROGRAMS.contains(moduleOf(type)),
                raw -> isOurs(raw.getPackageName()) && isInternal(raw));
    }

    @Test
    void publicApi_aboveTheSpi_doesNotMentionNetty() {
        checkSignatures(
                "not mention Netty in their signatures",
                type -> SURFACE.contains(moduleOf(type)) && !SPI_PACKAGES.contains(type.getPackageName()),
                raw -> raw.getPackageName().startsWith("io.netty"));
    }

    @Test
    void time_isReadFromTheSchedulerOnly() {
        Set<String> readers = parley.stream()
                .filter(type -> !PROGRAMS.contains(moduleOf(type)))
                .filter(type -> !type.getName().equals("io.parley.common.internal.SystemScheduler"))
                .filter(type -> type.getAccessesFromSelf().stream()
                        .anyMatch(access ->
                                TIME_SOURCES.contains(access.getTargetOwner().getName() + "." + access.getName())))
                .map(JavaClass::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(readers).isEmpty();
    }

    private static final Set<String> TIME_SOURCES = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.time.Instant.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.util.concurrent.CompletableFuture.orTimeout",
            "java.util.concurrent.CompletableFuture.completeOnTimeout",
            "java.util.concurrent.CompletableFuture.delayedExecutor");

    @Test
    void simpleNames_areUniqueInTheProduct() {
        Map<String, List<String>> twice = parley.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getName, Collectors.toList())));
        twice.values().removeIf(names -> names.size() < 2);
        assertThat(twice).isEmpty();
    }

    private interface Rule {
        boolean allows(JavaClass user, JavaClass used);
    }

    private static void check(String description, Rule rule) {
        classes()
                .that()
                .resideInAPackage("io.parley..")
                .should(new ArchCondition<JavaClass>(description) {
                    @Override
                    public void check(JavaClass user, ConditionEvents events) {
                        for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                            JavaClass used = dependency.getTargetClass().getBaseComponentType();
                            if (isOurs(used.getPackageName()) && !rule.allows(user, used)) {
                                events.add(SimpleConditionEvent.violated(
                                        dependency,
                                        moduleOf(user) + " -> " + moduleOf(used) + ": " + dependency.getDescription()));
                            }
                        }
                    }
                })
                .check(parley);
    }

    private static void checkSignatures(
            String description, Predicate<JavaClass> checked, Predicate<JavaClass> forbidden) {
        classes()
                .should(new ArchCondition<JavaClass>(description) {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        if (!isOurs(type.getPackageName())
                                || isInternal(type)
                                || !isVisible(type)
                                || !checked.test(type)) {
                            return;
                        }
                        BiConsumer<Object, String> violation =
                                (object, text) -> events.add(SimpleConditionEvent.violated(object, text));
                        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream())
                                .filter(supertype -> mentions(supertype, forbidden))
                                .forEach(supertype ->
                                        violation.accept(type, type.getName() + " extends " + supertype.getName()));
                        for (JavaMember member : type.getMembers()) {
                            if (isVisible(member) && typesOf(member).anyMatch(used -> mentions(used, forbidden))) {
                                violation.accept(member, member.getDescription());
                            }
                        }
                    }
                })
                .check(parley);
    }

    private static boolean mentions(JavaType type, Predicate<JavaClass> forbidden) {
        return type.getAllInvolvedRawTypes().stream().anyMatch(forbidden);
    }

    private static Stream<JavaType> typesOf(JavaMember member) {
        if (member instanceof JavaField field) {
            return Stream.of(field.getType());
        }
        JavaCodeUnit code = (JavaCodeUnit) member;
        return Stream.of(
                        List.of(code.getReturnType()),
                        code.getParameterTypes(),
                        code.getThrowsClause().getTypes(),
                        code.getTypeParameters())
                .flatMap(Collection::stream);
    }

    private static Set<String> packageNames() {
        return parley.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isVisible(JavaClass type) {
        return isVisible(type.getModifiers())
                && type.getEnclosingClass().map(DependencyRulesTest::isVisible).orElse(true);
    }

    private static boolean isVisible(JavaMember member) {
        return isVisible(member.getModifiers()) && !member.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    private static boolean isInternal(JavaClass type) {
        return Arrays.asList(type.getPackageName().split("\\.")).contains("internal");
    }

    private static boolean isOurs(String packageName) {
        return packageName.equals("io.parley") || packageName.startsWith("io.parley.");
    }

    /** Returns the module that owns a class by its package. */
    private static String moduleOf(JavaClass type) {
        String packageName = type.getPackageName();
        if (packageName.equals("io.parley")) {
            return "overlay";
        }
        return ALLOWED.keySet().stream()
                .filter(module -> isIn(packageName, module))
                .findAny()
                .orElseGet(() -> PACKAGES.entrySet().stream()
                        .filter(module -> module.getValue().stream().anyMatch(name -> isIn(packageName, name)))
                        .map(Map.Entry::getKey)
                        .findAny()
                        .orElseThrow(() -> new AssertionError("package " + packageName
                                + ": of no module (expected: a package that docs/architecture.md lists)")));
    }

    private static boolean isIn(String packageName, String name) {
        return (packageName + ".").startsWith("io.parley." + name + ".");
    }

    private static boolean standsInItsModule(JavaClass type) {
        String folder = moduleOf(type).replace('.', '-');
        String source = type.getSource().orElseThrow().getUri().toString();
        return source.contains("/" + folder + "/target/") || source.contains("/parley-" + folder + "/");
    }

    private static String withoutInternal(String packageName) {
        return Arrays.stream(packageName.split("\\."))
                .takeWhile(part -> !part.equals("internal"))
                .reduce((left, right) -> left + "." + right)
                .orElse(packageName);
    }
}
