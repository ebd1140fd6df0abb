// The same four strokes on a canvas and into SVG text.

class CanvasPen {
  constructor(context) {
    this.context = context;
  }
  line(x1, y1, x2, y2, {colour, width, alpha, dash}) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash ?? []);
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x2, y2);
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
  }
  shape(x, y, r, points, {fill, stroke, width, alpha}) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.beginPath();
    if (points) {
      points.forEach(([dx, dy], k) => (k === 0 ? c.moveTo(x + dx, y + dy) : c.lineTo(x + dx, y + dy)));
      c.closePath();
    } else {
      c.arc(x, y, r, 0, 2 * Math.PI);
    }
    c.lineJoin = "round";
    c.fillStyle = fill;
    c.fill();
    if (width > 0) {
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.stroke();
    }
    c.globalAlpha = 1;
  }
  text(x, y, words, {colour, halo, size, weight, align, family, alpha}) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.font = `${weight} ${size}px ${family}`;
    c.textAlign = align;
    c.textBaseline = "middle";
    c.lineJoin = "round";
    c.lineWidth = 3.5;
    c.strokeStyle = halo;
    c.strokeText(words, x, y);
    c.fillStyle = colour;
    c.fillText(words, x, y);
    c.globalAlpha = 1;
  }
}

const xmlText = (text) => text.replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");

class SvgPen {
  constructor(width, height, ground) {
    this.head = `<svg xmlns="${svgSpace}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`;
    this.parts = [`<rect width="100%" height="100%" fill="${ground}"/>`];
  }
  line(x1, y1, x2, y2, {colour, width, alpha, dash}) {
    const dashes = dash ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    this.parts.push(`<line x1="${x1.toFixed(2)}" y1="${y1.toFixed(2)}" x2="${x2.toFixed(2)}" y2="${y2.toFixed(2)}" stroke="${colour}" stroke-width="${width.toFixed(2)}" stroke-opacity="${alpha}"${dashes}/>`);
  }
  shape(x, y, r, points, {fill, stroke, width, alpha}) {
    const style = `fill="${fill}" stroke="${stroke}" stroke-width="${width}" opacity="${alpha}"`;
    if (points) {
      const list = points.map(([dx, dy]) => `${(x + dx).toFixed(2)},${(y + dy).toFixed(2)}`).join(" ");
      this.parts.push(`<polygon points="${list}" stroke-linejoin="round" ${style}/>`);
    } else {
      this.parts.push(`<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${r.toFixed(2)}" ${style}/>`);
    }
  }
  text(x, y, words, {colour, halo, size, weight, align, family, alpha}) {
    const anchor = {left: "start", center: "middle", right: "end"}[align];
    this.parts.push(`<text x="${x.toFixed(2)}" y="${y.toFixed(2)}" text-anchor="${anchor}" dominant-baseline="central" font-family="${xmlText(family)}" font-size="${size}" font-weight="${weight}" fill="${colour}" stroke="${halo}" stroke-width="3.5" paint-order="stroke" stroke-linejoin="round" opacity="${alpha}">${xmlText(words)}</text>`);
  }
  finish() {
    return `${this.head}${this.parts.join("\n")}</svg>\n`;
  }
}
