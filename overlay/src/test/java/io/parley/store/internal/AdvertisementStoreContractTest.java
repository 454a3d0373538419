package io.parley.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.store.StoreLimits;
import io.parley.store.ValuePattern;
import io.parley.store.internal.StoreMetrics.Counter;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract of every {@link AdvertisementStore}, independent of its storage. */
public abstract class AdvertisementStoreContractTest {
    static final GroupId GROUP = GroupId.NET;
    static final GroupId OTHER_GROUP = GroupId.ofName("other");
    static final long NOW = 1_000_000;
    static final int THREADS = 4;

    final ManualClock clock = new ManualClock(Instant.ofEpochMilli(NOW));
    final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final List<AdvertisementStore> opened = new ArrayList<>();

    /**
     * The seed of the secret by which owners share counters. With some others, one in several hundred, an owner of a test shares the
     * counter of a flood, and is refused like that.
     */
    static final long SEED = 1;

    /** Returns a new, empty store. */
    abstract AdvertisementStore create(StoreLimits limits);

    final AdvertisementStore store(StoreLimits limits) {
        AdvertisementStore store = create(limits);
        opened.add(store);
        return store;
    }

    final AdvertisementStore store() {
        return store(StoreLimits.DEFAULTS);
    }

    @AfterEach
    void closeAll() {
        opened.forEach(AdvertisementStore::close);
        executor.shutdownNow();
    }

    static StoreKey key(String name) {
        return new StoreKey(GROUP, "pipe", name);
    }

    static StoreEntry entry(StoreKey key, long issued, long expires, String... attributes) {
        List<StoreAttribute> list = new ArrayList<>();
        for (int i = 0; i < attributes.length; i += 2) {
            list.add(new StoreAttribute(attributes[i], attributes[i + 1]));
        }
        byte[] document = ("document of " + key + " at " + issued).getBytes(StandardCharsets.UTF_8);
        return new StoreEntry(key, list, issued, expires, document);
    }

    static StoreEntry named(String name, String value) {
        return entry(key(name), 1, NOW + 1000, "Name", value);
    }

    static List<String> names(StoreResult result) {
        return result.entries().stream()
                .map(entry -> entry.key().name())
                .sorted()
                .toList();
    }

    static StoreQuery byName(String pattern) {
        return StoreQuery.of(GROUP, "pipe").with("Name", pattern);
    }

    @Test
    void put_new_storesAllFields() {
        AdvertisementStore store = store();
        StoreEntry entry = entry(key("a"), 5, NOW + 1, "Name", "grün", "Name", "blue", "Empty", "");
        assertThat(store.put(entry)).isEqualTo(PutOutcome.ADDED);
        assertThat(store.get(key("a"))).contains(entry);
        assertThat(store.find(StoreQuery.of(GROUP), 10)).isEqualTo(new StoreResult(List.of(entry), true));
        assertThat(store.count()).isEqualTo(1);
        assertThat(store.sizeBytes()).isGreaterThan(entry.documentBytes());
        assertThat(store.metrics().get(Counter.PUTS)).isEqualTo(1);
    }

    @Test
    void put_newer_replacesDocumentAndIndexes() {
        AdvertisementStore store = store();
        store.put(entry(key("a"), 1, NOW + 500, "Name", "old", "Other", "x"));
        StoreEntry newer = entry(key("a"), 2, NOW + 1000, "Name", "new", "Other", "x");
        assertThat(store.put(newer)).isEqualTo(PutOutcome.REPLACED);
        assertThat(store.get(key("a"))).contains(newer);
        assertThat(names(store.find(byName("old"), 10))).isEmpty();
        assertThat(names(store.find(byName("new"), 10))).containsExactly("a");
        clock.advance(Duration.ofMillis(500));
        assertThat(names(store.find(StoreQuery.of(GROUP, "pipe").with("Other", "x"), 10)))
                .containsExactly("a");
        assertThat(store.count()).isEqualTo(1);
    }

    @Test
    void put_older_isStaleAndChangesNothing() {
        AdvertisementStore store = store();
        StoreEntry newer = entry(key("a"), 2, NOW + 10, "Name", "new");
        store.put(newer);
        assertThat(store.put(entry(key("a"), 1, NOW + 1000, "Name", "old"))).isEqualTo(PutOutcome.STALE);
        assertThat(store.get(key("a"))).contains(newer);
        assertThat(names(store.find(byName("old"), 10))).isEmpty();
        assertThat(store.metrics().get(Counter.PUTS_NOT_NEWER)).isEqualTo(1);
    }

    @Test
    void put_same_isUnchangedAndOtherOfSameTimeReplaces() {
        AdvertisementStore store = store();
        store.put(entry(key("a"), 1, NOW + 10, "Name", "x"));
        assertThat(store.put(entry(key("a"), 1, NOW + 10, "Name", "x"))).isEqualTo(PutOutcome.UNCHANGED);
        assertThat(store.put(entry(key("a"), 1, NOW + 10, "Name", "y"))).isEqualTo(PutOutcome.REPLACED);
        assertThat(names(store.find(byName("y"), 10))).containsExactly("a");
        assertThat(names(store.find(byName("x"), 10))).isEmpty();
    }

    @Test
    void put_expired_isRejected() {
        AdvertisementStore store = store();
        assertThat(store.put(entry(key("a"), 1, NOW))).isEqualTo(PutOutcome.EXPIRED);
        assertThat(store.count()).isZero();
        assertThat(store.metrics().get(Counter.PUTS_REJECTED)).isEqualTo(1);
    }

    @Test
    void put_olderThanAnExpiredOne_isAdded() {
        AdvertisementStore store = store();
        store.put(entry(key("a"), 7, NOW + 10, "Name", "x"));
        clock.advance(Duration.ofMillis(10));
        StoreEntry older = entry(key("a"), 3, NOW + 100, "Name", "y");
        assertThat(store.put(older)).isEqualTo(PutOutcome.ADDED);
        assertThat(store.get(key("a"))).contains(older);
        assertThat(store.count()).isEqualTo(1);
    }

    @Test
    void sameName_inOtherGroupOrType_isAnotherEntry() {
        AdvertisementStore store = store();
        StoreKey otherGroup = new StoreKey(OTHER_GROUP, "pipe", "a");
        StoreKey otherType = new StoreKey(GROUP, "peer", "a");
        for (StoreKey key : List.of(key("a"), otherGroup, otherType)) {
            assertThat(store.put(entry(key, 1, NOW + 10, "Name", "x"))).isEqualTo(PutOutcome.ADDED);
        }
        assertThat(store.find(byName("x"), 10).entries())
                .extracting(StoreEntry::key)
                .containsExactly(key("a"));
        assertThat(store.find(StoreQuery.of(GROUP).with("Name", "x"), 10).entries())
                .extracting(StoreEntry::key)
                .containsExactlyInAnyOrder(key("a"), otherType);
        assertThat(store.remove(otherType)).isTrue();
        assertThat(store.get(otherType)).isEmpty();
        assertThat(store.get(key("a"))).isPresent();
        assertThat(store.get(otherGroup)).isPresent();
    }

    @Test
    void expired_isNeverReturned_andIsPurgedLater() {
        AdvertisementStore store = store();
        store.put(entry(key("a"), 1, NOW + 10, "Name", "x"));
        store.put(entry(key("b"), 1, NOW + 11, "Name", "x"));
        clock.advance(Duration.ofMillis(10));
        assertThat(store.get(key("a"))).isEmpty();
        assertThat(names(store.find(byName("x"), 10))).containsExactly("b");
        assertThat(names(store.find(StoreQuery.of(GROUP), 10))).containsExactly("b");
        assertThat(store.remove(key("a"))).isFalse();
        clock.advance(Duration.ofMillis(1));
        Eventually.until(() -> "expired entries remain: " + store.count(), () -> store.sizeBytes() == 0);
        assertThat(store.count()).isZero();
        Eventually.until( // counted after the removal
                () -> "no entry was purged", () -> store.metrics().get(Counter.PURGED) > 0);
    }

    @Test
    void remove_present_leavesNothing() {
        AdvertisementStore store = store();
        store.put(named("a", "x"));
        assertThat(store.remove(key("a"))).isTrue();
        assertThat(store.remove(key("a"))).isFalse();
        assertThat(store.get(key("a"))).isEmpty();
        assertThat(store.find(byName("*"), 10).entries()).isEmpty();
        assertThat(store.count()).isZero();
        assertThat(store.sizeBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "abc, abc",
                "ABC, ABC",
                "ab, -",
                "abc*, abc abcabc abcd",
                "*abc, abc abcabc xabc",
                "*bc*, abc abcabc abcd abxabc? xabc",
                "*abc*, abc abcabc abcd abxabc? xabc",
                "a*c, a*c abc abcabc",
                "a*b*c, abc abcabc",
                "ab*abc, abcabc",
                "ab*bc, abcabc",
                "*a*a*, abcabc abxabc?",
                "*, ABC a*c abc abcabc abcd abxabc? xabc",
                "**, ABC a*c abc abcabc abcd abxabc? xabc",
                "a**c, a*c abc abcabc",
                "'', ABC a*c abc abcabc abcd abxabc? xabc",
                "*abc?, abxabc?",
                "?bc, -",
                "' abc', -",
            })
    void find_pattern_matchesAsInJxta(String pattern, String expected) {
        AdvertisementStore store = store();
        for (String value : List.of("abc", "ABC", "abcd", "xabc", "abcabc", "a*c", "abxabc?")) {
            store.put(named(value, value));
        }
        List<String> expectedNames = expected == null ? List.of() : List.of(expected.split(" "));
        assertThat(names(store.find(byName(pattern), 10))).isEqualTo(expectedNames);
    }

    @Test
    void find_exactly_matchesStarsLiterally() {
        AdvertisementStore store = store();
        store.put(named("star", "a*c"));
        store.put(named("text", "abc"));
        StoreQuery query = StoreQuery.of(GROUP, "pipe").with("Name", ValuePattern.exactly("a*c"));
        assertThat(names(store.find(query, 10))).containsExactly("star");
    }

    @Test
    void find_concatenatedTextsOfEqualBytes_areDistinct() {
        AdvertisementStore store = store();
        store.put(entry(new StoreKey(GROUP, "t", "1"), 1, NOW + 10, "a", "bc"));
        store.put(entry(new StoreKey(GROUP, "t", "2"), 1, NOW + 10, "ab", "c"));
        store.put(entry(new StoreKey(GROUP, "ta", "3"), 1, NOW + 10, "b", "c"));
        store.put(entry(new StoreKey(GROUP, "t\u0001", "4"), 1, NOW + 10, "a", "bc"));
        assertThat(names(store.find(StoreQuery.of(GROUP, "t").with("a", "bc"), 10)))
                .containsExactly("1");
        assertThat(names(store.find(StoreQuery.of(GROUP, "t").with("ab", "*"), 10)))
                .containsExactly("2");
        assertThat(names(store.find(StoreQuery.of(GROUP, "ta"), 10))).containsExactly("3");
        assertThat(names(store.find(StoreQuery.of(GROUP).with("a", "bc"), 10))).containsExactly("1", "4");
    }

    @Test
    void find_emptyValueOrUnknownAttribute_matchesNothing() {
        AdvertisementStore store = store();
        store.put(entry(key("a"), 1, NOW + 10, "Name", ""));
        assertThat(store.find(byName("*"), 10).entries()).isEmpty();
        assertThat(store.find(byName(""), 10).entries()).isEmpty();
        assertThat(store.find(StoreQuery.of(GROUP, "pipe").with("Nothing", "*"), 10)
                        .entries())
                .isEmpty();
        assertThat(names(store.find(StoreQuery.of(GROUP, "pipe"), 10))).containsExactly("a");
    }

    @Test
    void find_severalValuesMatch_returnsTheEntryOnce() {
        AdvertisementStore store = store();
        store.put(entry(key("a"), 1, NOW + 10, "Name", "x1", "Name", "x2", "Name", "x2"));
        assertThat(names(store.find(byName("x*"), 10))).containsExactly("a");
        store.remove(key("a"));
        assertThat(store.sizeBytes()).isZero();
    }

    @Test
    void find_moreThanTheLimit_isIncomplete() {
        AdvertisementStore store = store(StoreLimits.DEFAULTS.toBuilder()
                .maxResults(7)
                .maxScannedRows(1000)
                .build());
        for (int i = 0; i < 10; i++) {
            store.put(named("n" + i, "x"));
        }
        StoreResult five = store.find(byName("x"), 5);
        assertThat(five.entries()).hasSize(5);
        assertThat(five.complete()).isFalse();
        assertThat(store.find(byName("x"), Integer.MAX_VALUE).entries()).hasSize(7);
        assertThat(store.find(byName("x"), 0)).isEqualTo(new StoreResult(List.of(), false));
        store.remove(key("n0"));
        store.remove(key("n1"));
        store.remove(key("n2"));
        assertThat(store.find(byName("x"), 7).complete()).isTrue();
    }

    @Test
    void find_tooManyRows_isTruncated() {
        AdvertisementStore store = store(StoreLimits.DEFAULTS.toBuilder()
                .maxResults(100)
                .maxScannedRows(20)
                .build());
        for (int i = 0; i < 30; i++) {
            store.put(named("n" + i, "value" + (100 + i)));
        }
        StoreResult result = store.find(byName("*9"), 10);
        assertThat(names(result)).containsExactly("n19", "n9");
        assertThat(result.complete()).isFalse();
        assertThat(store.metrics().get(Counter.SEARCHES_TRUNCATED)).isEqualTo(1);
        assertThat(store.find(byName("value12*"), 10).complete()).isTrue();
        assertThat(store.find(byName("value129"), 10).complete()).isTrue();
    }

    @Test
    void put_fullByCount_evictsEntriesOfTheLargestOwner_thatExpireLast() {
        AdvertisementStore store =
                store(StoreLimits.DEFAULTS.toBuilder().maxEntries(4).build());
        for (int i = 1; i <= 3; i++) {
            store.put(entry(key("mallory=" + i), 1, NOW + 100_000, "Name", "x"));
        }
        store.put(entry(key("alice=1"), 9, NOW + 100, "Name", "x"));
        assertThat(store.put(entry(key("mallory#4"), 1, NOW + 100_000, "Name", "x")))
                .isEqualTo(PutOutcome.FULL);
        assertThat(store.put(entry(key("bob 1"), 1, NOW + 100, "Name", "x"))).isEqualTo(PutOutcome.ADDED);
        assertThat(store.put(entry(key("carol"), 1, NOW + 100, "Name", "x"))).isEqualTo(PutOutcome.ADDED);
        assertThat(names(store.find(byName("x"), 10)))
                .hasSize(4)
                .contains("alice=1", "bob 1", "carol")
                .anyMatch(name -> name.startsWith("mallory="));
        assertThat(store.metrics().get(Counter.EVICTED)).isEqualTo(2);
    }

    @Test
    void put_fullOfEqualOwners_isRefused_untilEntriesExpire() {
        AdvertisementStore store =
                store(StoreLimits.DEFAULTS.toBuilder().maxEntries(3).build());
        store.put(entry(key("alice"), 9, NOW + 100, "Name", "x"));
        store.put(entry(key("bob"), 1, NOW + 300, "Name", "x"));
        store.put(entry(key("carol"), 1, NOW + 400, "Name", "x"));
        assertThat(store.put(entry(key("mallory"), 1, NOW + 100_000, "Name", "x")))
                .isEqualTo(PutOutcome.FULL);
        assertThat(names(store.find(byName("x"), 10))).containsExactly("alice", "bob", "carol");
        assertThat(store.put(entry(key("bob"), 2, NOW + 500, "Name", "x"))).isEqualTo(PutOutcome.REPLACED);
        assertThat(store.metrics().get(Counter.EVICTED)).isZero();
        clock.advance(Duration.ofMillis(100));
        assertThat(store.put(entry(key("dave"), 1, NOW + 600, "Name", "x"))).isEqualTo(PutOutcome.ADDED);
        assertThat(names(store.find(byName("x"), 10))).containsExactly("bob", "carol", "dave");
    }

    @Test
    void flood_ofOneOwner_leavesTheEntriesOfOthers() {
        int maxEntries = 600;
        AdvertisementStore store =
                store(StoreLimits.DEFAULTS.toBuilder().maxEntries(maxEntries).build());
        for (int i = 0; i < 100; i++) {
            store.put(entry(key("honest" + i + "=1"), 1, NOW + 1000, "Name", "x"));
        }
        for (int i = 0; i < 3 * maxEntries; i++) {
            store.put(entry(key("mallory=" + i), 1, NOW + 1_000_000, "Name", "y"));
        }
        for (int i = 100; i < 200; i++) {
            assertThat(store.put(entry(key("honest" + i + "=1"), 1, NOW + 1000, "Name", "x")))
                    .isEqualTo(PutOutcome.ADDED);
        }
        assertThat(store.find(byName("x"), 1000).entries()).hasSize(200);
        assertThat(store.count()).isEqualTo(maxEntries);
    }

    @Test
    void flood_ofManyOwnersWithSmallEntries_leavesALargerOne() {
        AdvertisementStore store =
                store(StoreLimits.DEFAULTS.toBuilder().maxBytes(256 * 1024).build());
        store.put(new StoreEntry(
                key("alice=1"), List.of(new StoreAttribute("Name", "x")), 1, NOW + 1000, new byte[2000]));
        for (int i = 0; i < 3000; i++) {
            store.put(entry(key("mallory" + i), 1, NOW + 1_000_000, "Name", "y"));
        }
        assertThat(store.metrics().get(Counter.PUTS_REJECTED)).isPositive();
        assertThat(names(store.find(byName("x"), 10))).containsExactly("alice=1");
    }

    @Test
    void put_fullByBytes_staysWithinLimit() {
        StoreLimits limits =
                StoreLimits.DEFAULTS.toBuilder().maxBytes(256 * 1024).build();
        AdvertisementStore store = store(limits);
        for (int i = 0; i < 20; i++) {
            StoreEntry entry = new StoreEntry(
                    key("n=" + i), List.of(new StoreAttribute("Name", "x")), 1, NOW + 1000 + i, new byte[60_000]);
            assertThat(store.put(entry)).isEqualTo(i < 4 ? PutOutcome.ADDED : PutOutcome.FULL);
            assertThat(store.sizeBytes()).isLessThanOrEqualTo(limits.maxBytes());
        }
        StoreEntry other =
                new StoreEntry(key("m=1"), List.of(new StoreAttribute("Name", "y")), 1, NOW + 1000, new byte[60_000]);
        assertThat(store.put(other)).isEqualTo(PutOutcome.ADDED);
        assertThat(names(store.find(byName("x"), 100))).hasSize(3);
        assertThat(store.count()).isEqualTo(4);
    }

    @Test
    void put_beyondALimit_failsNamingIt() {
        AdvertisementStore store = store();
        String[] many = IntStream.range(0, 66).mapToObj(i -> "a" + i).toArray(String[]::new);
        String x129 = "x".repeat(129);
        Map<StoreEntry, String> rejected = Map.of(
                entry(new StoreKey(GROUP, x129, "a"), 1, NOW + 1),
                "type: 129 (expected: <= maxTypeBytes 128)",
                entry(key("ü".repeat(129)), 1, NOW + 1),
                "name: 258 (expected: <= maxNameBytes 256)",
                entry(key("a"), 1, NOW + 1, many),
                "attributes: 33 (expected: <= maxAttributes 32)",
                entry(key("a"), 1, NOW + 1, x129, "x"),
                "attribute name: 129 (expected: <= maxAttributeNameBytes 64)",
                entry(key("a"), 1, NOW + 1, "x", "x".repeat(1025)),
                "attribute value: 1025 (expected: <= maxAttributeValueBytes 1024)",
                new StoreEntry(key("a"), List.of(), 1, NOW + 1, new byte[65_537]),
                "document: 65537 (expected: <= maxDocumentBytes 65536)");
        rejected.forEach((entry, message) -> {
            ParleyException e = catchThrowableOfType(ParleyException.class, () -> store.put(entry));
            assertThat(e.code()).isEqualTo(ErrorCode.LOCAL_LIMIT);
            assertThat(e).hasMessage(message);
        });
        assertThat(store.count()).isZero();
        assertThat(store.metrics().get(Counter.PUTS_REJECTED)).isEqualTo(rejected.size());
    }

    @Test
    void randomChanges_agreeWithAModel() {
        long seed = Long.getLong("parley.test.seed", System.nanoTime());
        System.out.println("parley.test.seed=" + seed);
        Random random = new Random(seed);
        AdvertisementStore store = store();
        Map<StoreKey, StoreEntry> model = new HashMap<>();
        for (int step = 0; step < 3000; step++) {
            StoreKey key = new StoreKey(
                    random.nextBoolean() ? GROUP : OTHER_GROUP, "t" + random.nextInt(3), "n" + random.nextInt(40));
            int operation = random.nextInt(20);
            if (operation == 0) {
                assertThat(store.remove(key)).isEqualTo(model.remove(key) != null);
            } else if (operation == 1) {
                clock.advance(Duration.ofMillis(random.nextInt(20)));
                model.values().removeIf(entry -> entry.isExpired(clock.millis()));
            } else if (operation < 12) {
                StoreEntry entry = randomEntry(random, key);
                StoreEntry old = model.get(key);
                boolean stored = store.put(entry).isStored();
                if (stored) {
                    model.put(key, entry);
                }
                assertThat(stored)
                        .isEqualTo(!entry.isExpired(clock.millis())
                                && (old == null || (old.issuedMillis() <= entry.issuedMillis() && !old.equals(entry))));
            } else {
                StoreQuery query = randomQuery(random);
                assertThat(store.find(query, 1000).entries())
                        .as("%s", query)
                        .containsExactlyInAnyOrderElementsOf(matching(model, query));
                assertThat(store.get(key)).isEqualTo(Optional.ofNullable(model.get(key)));
            }
        }
        model.keySet().forEach(store::remove);
        clock.advance(Duration.ofDays(1));
        Eventually.until(() -> "entries remain: " + store.count(), () -> store.sizeBytes() == 0);
        assertThat(store.count()).isZero();
    }

    private StoreEntry randomEntry(Random random, StoreKey key) {
        String[] attributes = new String[2 * random.nextInt(4)];
        for (int i = 0; i < attributes.length; i += 2) {
            attributes[i] = "a" + random.nextInt(2);
            attributes[i + 1] = randomText(random, "ab");
        }
        return entry(key, random.nextInt(50), clock.millis() + random.nextInt(200), attributes);
    }

    private static StoreQuery randomQuery(Random random) {
        StoreQuery query = new StoreQuery(
                GROUP, random.nextInt(3) == 0 ? null : "t" + random.nextInt(3), null, ValuePattern.any());
        return random.nextInt(4) == 0
                ? query
                : query.with("a" + random.nextInt(2), ValuePattern.parse(randomText(random, "ab*")));
    }

    private static String randomText(Random random, String alphabet) {
        return random.ints(random.nextInt(5), 0, alphabet.length())
                .mapToObj(i -> alphabet.substring(i, i + 1))
                .collect(Collectors.joining());
    }

    /** Returns the matches by definition, with the pattern as a regular expression. */
    private static List<StoreEntry> matching(Map<StoreKey, StoreEntry> model, StoreQuery query) {
        String pattern = query.value().toString();
        String regex = pattern.isEmpty() ? ".*" : pattern.replace("*", ".*");
        return model.values().stream()
                .filter(entry -> entry.key().group().equals(query.group())
                        && (query.type() == null
                                || query.type().equals(entry.key().type()))
                        && (query.attribute() == null
                                || entry.attributes().stream()
                                        .anyMatch(attribute -> attribute.name().equals(query.attribute())
                                                && !attribute.value().isEmpty()
                                                && attribute.value().matches(regex))))
                .toList();
    }

    @Test
    void manyThreads_eachKeyEndsWithItsNewest() {
        AdvertisementStore store = store();
        int keys = 50;
        int rounds = 40;
        CyclicBarrier start = new CyclicBarrier(THREADS + 1);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int offset = thread;
                done.add(threads.submit(() -> {
                    start.await();
                    for (int i = 0; i < keys * rounds; i++) {
                        int issued = i / keys * THREADS + offset;
                        store.put(entry(key("n" + i % keys), issued, NOW + 1000, "Name", "v" + issued, "All", "x"));
                        if (i % 100 == 0) {
                            store.flush();
                        }
                    }
                    return null;
                }));
            }
            Future<?> reader = threads.submit(() -> {
                start.await();
                for (int i = 0; i < 300; i++) {
                    StoreResult all = store.find(StoreQuery.of(GROUP, "pipe").with("All", "x"), 1000);
                    assertThat(names(all)).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(keys);
                    for (StoreEntry entry : store.find(byName("v1*"), 1000).entries()) {
                        assertThat(entry.attributes().get(0).value()).isEqualTo("v" + entry.issuedMillis());
                        assertThat(entry.issuedMillis() + "").startsWith("1");
                    }
                }
                return null;
            });
            done.forEach(future -> Eventually.get(future, "writer"));
            Eventually.get(reader, "reader");
        } finally {
            threads.shutdownNow();
        }
        assertThat(store.count()).isEqualTo(keys);
        assertThat(store.find(byName("v" + (rounds * THREADS - 1)), 1000).entries())
                .hasSize(keys);
        assertThat(store.find(byName("*"), 1000).entries()).hasSize(keys);
        IntStream.range(0, keys).forEach(i -> store.remove(key("n" + i)));
        assertThat(store.sizeBytes()).isZero();
    }

    @Test
    void calls_onAnInterruptedThread_work() {
        AdvertisementStore store = store();
        Thread.currentThread().interrupt();
        try {
            assertThat(store.put(named("a", "x"))).isEqualTo(PutOutcome.ADDED);
            CompletableFuture<Void> flushed = store.flush();
            assertThat(names(store.find(byName("x"), 10))).containsExactly("a");
            assertThat(store.get(key("a"))).isPresent();
            assertThat(Thread.interrupted()).isTrue();
            Eventually.get(flushed, "flush");
        } finally {
            assertThat(Thread.interrupted()).isFalse();
        }
        assertThat(store.put(named("b", "x"))).isEqualTo(PutOutcome.ADDED);
        Eventually.get(store.flush(), "flush");
        assertThat(names(store.find(byName("x"), 10))).containsExactly("a", "b");
    }

    @Test
    void close_twice_completesFlushesAndRejectsOtherCalls() {
        AdvertisementStore store = store();
        store.put(named("a", "x"));
        List<CompletableFuture<Void>> flushes =
                IntStream.range(0, 100).mapToObj(i -> store.flush()).toList();
        store.close();
        store.close();
        flushes.forEach(flush -> Eventually.get(flush, "flush before close"));
        assertThat(codeOf(() -> store.put(named("b", "x")))).isEqualTo(ErrorCode.CLOSED);
        assertThat(codeOf(() -> store.get(key("a")))).isEqualTo(ErrorCode.CLOSED);
        assertThat(codeOf(() -> store.find(byName("x"), 1))).isEqualTo(ErrorCode.CLOSED);
        assertThat(codeOf(() -> store.remove(key("a")))).isEqualTo(ErrorCode.CLOSED);
        assertThat(codeOf(store::count)).isEqualTo(ErrorCode.CLOSED);
        assertThat(Eventually.failure(store.flush(), "flush after close"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    static ErrorCode codeOf(ThrowingCallable call) {
        ParleyException e = catchThrowableOfType(ParleyException.class, call);
        assertThat(e).isNotNull();
        return e.code();
    }

    @Test
    void find_negativeLimit_isRejected() {
        AdvertisementStore store = store();
        assertThatIllegalArgumentException().isThrownBy(() -> store.find(byName("x"), -1));
    }
}
