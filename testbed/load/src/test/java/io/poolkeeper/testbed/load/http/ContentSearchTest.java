package io.poolkeeper.testbed.load.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;

class ContentSearchTest {

  @Property
  void findsWhatContainsFindsInPiecesOfAnySize(
      @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 40) String text,
      @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 6) String wanted,
      @ForAll @IntRange(min = 1, max = 9) int piece) {
    ContentSearch search = new ContentSearch();
    search.begin("another text before it");
    search.take(ByteBuffer.wrap(new byte[] {'a', 'n'}), 2);
    search.begin(wanted);
    ByteBuffer in = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    while (in.hasRemaining()) {
      search.take(in, Math.min(piece, in.remaining()));
    }
    assertThat(search.found()).isEqualTo(text.contains(wanted));
  }
}
