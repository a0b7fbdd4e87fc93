package io.poolkeeper.testbed.ntier.web;

/**
 * An HTML page. Its last line before the end names the interaction and its object, as in {@code <p
 * class="done">ViewStory 17</p>}: a client that finds it has got the whole page, and the right one.
 */
public final class Page {

  private final StringBuilder html = new StringBuilder(4096);

  /** A page with a title. */
  public Page(String title) {
    html.append("<!DOCTYPE html>\n<html><head><title>");
    escape(title);
    html.append("</title></head>\n<body>\n<h1>");
    escape(title);
    html.append("</h1>\n");
  }

  /** Adds a heading. */
  public Page heading(String text) {
    return element("h2", text);
  }

  /** Adds a paragraph. */
  public Page text(String text) {
    return element("p", text);
  }

  /**
   * Adds a link with a note behind it.
   *
   * @param address path and query
   */
  public Page link(String address, String text, String note) {
    html.append("<p><a href=\"");
    escape(address);
    html.append("\">");
    escape(text);
    html.append("</a> ");
    escape(note);
    html.append("</p>\n");
    return this;
  }

  /** Adds a form whose fields are text. */
  public Page form(String method, String action, String... fields) {
    html.append("<form method=\"").append(method).append("\" action=\"").append(action);
    html.append("\">\n");
    for (String field : fields) {
      String[] parts = field.split("=", 2);
      html.append("<label>").append(parts[0]).append(" <input name=\"").append(parts[0]);
      html.append("\" value=\"");
      escape(parts.length > 1 ? parts[1] : "");
      html.append("\"></label>\n");
    }
    html.append("<button>Send</button>\n</form>\n");
    return this;
  }

  private Page element(String tag, String text) {
    html.append('<').append(tag).append('>');
    escape(text);
    html.append("</").append(tag).append(">\n");
    return this;
  }

  private void escape(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> html.append("&amp;");
        case '<' -> html.append("&lt;");
        case '>' -> html.append("&gt;");
        case '"' -> html.append("&quot;");
        default -> html.append(c);
      }
    }
  }

  /** Ends the page with the line that can be checked. */
  public String done(String interaction, Object... about) {
    html.append("<p class=\"done\">").append(interaction);
    for (Object each : about) {
      html.append(' ');
      escape(String.valueOf(each));
    }
    return html.append("</p>\n</body></html>\n").toString();
  }
}
