package io.parley.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The architecture's floors: who may use whom. The POMs say it of modules, this says it of what stands in them. */
class DependencyRulesTest {
    /** The modules that each module may use, beside itself. */
    private static final Map<String, Set<String>> ALLOWED = Map.of(
            "core", Set.of(),
            "transport.tcp", Set.of("core"),
            "transport.http", Set.of("core"),
            "transport.udp", Set.of("core"),
            "codec.xml", Set.of("core"),
            "codec.compress", Set.of("core"),
            "pipes", Set.of("core"),
            "sockets", Set.of("core", "pipes"),
            "bench",
                    Set.of(
                            "core",
                            "pipes",
                            "sockets",
                            "transport.tcp",
                            "transport.http",
                            "transport.udp",
                            "codec.xml",
                            "codec.compress"),
            "examples",
                    Set.of(
                            "core",
                            "pipes",
                            "sockets",
                            "transport.tcp",
                            "transport.http",
                            "transport.udp",
                            "codec.xml",
                            "codec.compress"));

    /** What users write against: JDK types and our own, never Netty's. */
    private static final Set<String> API_PACKAGES = Set.of(
            "io.parley",
            "io.parley.advertisement",
            "io.parley.advertisement.store",
            "io.parley.discovery",
            "io.parley.rendezvous",
            "io.parley.group",
            "io.parley.id",
            "io.parley.message",
            "io.parley.resolver",
            "io.parley.pipes",
            "io.parley.sockets");

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
        // Bench is not on this class path: nobody can use it by accident, and its own uses are what its POM allows.
        assertThat(parley.stream().map(DependencyRulesTest::moduleOf).distinct())
                .contains("core", "transport.http", "transport.udp", "codec.xml", "codec.compress", "sockets");
    }

    @Test
    void modules_useOnlyTheFloorsBelow() {
        classes()
                .that()
                .resideInAPackage("io.parley..")
                .should(new ArchCondition<JavaClass>("use only the floors below") {
                    @Override
                    public void check(JavaClass user, ConditionEvents events) {
                        String from = moduleOf(user);
                        for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                            JavaClass used = dependency.getTargetClass().getBaseComponentType();
                            if (!isOurs(used.getPackageName())) {
                                continue;
                            }
                            String to = moduleOf(used);
                            if (!to.equals(from) && !ALLOWED.get(from).contains(to)) {
                                events.add(SimpleConditionEvent.violated(
                                        dependency, from + " -> " + to + ": " + dependency.getDescription()));
                            }
                        }
                    }
                })
                .check(parley);
    }

    @Test
    void classes_standInTheModuleOfTheirPackage() {
        assertThat(parley.stream().filter(type -> !standsInItsModule(type))).isEmpty();
    }

    @Test
    void packages_haveNoCycles() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return isOurs(type.getPackageName())
                                ? SliceIdentifier.of(withoutInternal(type.getPackageName()))
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "packages, each with its internal one";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(parley);
    }

    /** That nothing below uses it follows, as there are no cycles. */
    @Test
    void resolver_standsOnTheEndpoint_andWhatIsBelow() {
        classes()
                .that()
                .resideInAPackage("io.parley.resolver")
                .should()
                .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(
                                "io.parley.resolver",
                                "io.parley.endpoint",
                                "io.parley.endpoint.wire",
                                "io.parley.codec",
                                "io.parley.message",
                                "io.parley.id",
                                "io.parley.error",
                                "io.parley.metrics")
                        .or(DescribedPredicate.describe(
                                "of others", (JavaClass type) -> !isOurs(type.getPackageName()))))
                .check(parley);
    }

    @Test
    void publicApi_doesNotMentionNetty() {
        classes()
                .should(new ArchCondition<JavaClass>("not mention Netty in what users can see") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        if (!API_PACKAGES.contains(type.getPackageName()) || !isVisible(type)) {
                            return;
                        }
                        Stream<JavaType> supertypes =
                                Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
                        supertypes
                                .filter(DependencyRulesTest::isNettys)
                                .forEach(netty -> events.add(SimpleConditionEvent.violated(
                                        type, type.getName() + " extends " + netty.getName())));
                        for (JavaMember member : type.getMembers()) {
                            if (isVisible(member) && typesOf(member).anyMatch(DependencyRulesTest::isNettys)) {
                                events.add(SimpleConditionEvent.violated(member, member.getDescription()));
                            }
                        }
                    }
                })
                .check(parley);
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

    private static boolean isNettys(JavaType type) {
        return type.getAllInvolvedRawTypes().stream()
                .anyMatch(raw -> raw.getPackageName().startsWith("io.netty"));
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

    private static boolean isOurs(String packageName) {
        return packageName.equals("io.parley") || packageName.startsWith("io.parley.");
    }

    /** The module that owns a class by its package; all that is nobody else's is core's. */
    private static String moduleOf(JavaClass type) {
        String packageName = type.getPackageName();
        return ALLOWED.keySet().stream()
                .filter(module -> (packageName + ".").startsWith("io.parley." + module + "."))
                .findAny()
                .orElse("core");
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
